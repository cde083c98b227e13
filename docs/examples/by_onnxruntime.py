# by_onnxruntime.py: tensorop check cases --command 'python3 by_onnxruntime.py {case}' --jobs 4
import json
import sys

import numpy as np
import onnxruntime
from onnx import helper, mapping, shape_inference

with open(sys.argv[1]) as file:
    case = json.load(file)
arrays = {name: np.load(path) for name, path in case["operands"].items()}
node = helper.make_node(case["comment"]["published"], list(arrays), ["output"], **case["attributes"])
inputs = [
    helper.make_tensor_value_info(name, mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)
    for name, array in arrays.items()
]
graph = helper.make_graph([node], "case", inputs, [helper.make_empty_tensor_value_info("output")])
opset = int(case["spec"].removeprefix("onnx-"))
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
model = shape_inference.infer_shapes(model)  # the type of the output
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
np.save(case["output"], session.run(None, arrays)[0])
