# onnxruntime_cases.py: tensorop check suite --command 'python3 onnxruntime_cases.py {cases}' --shrink
import json, pathlib, sys
import numpy as np
import onnxruntime
from onnx import helper, numpy_helper

NODES = {"gathernd": "GatherND", "scatterelements": "ScatterElements", "add": "Add"}
OPERANDS = ("data", "indices", "updates", "a", "b")
ATTRIBUTES = ("axis", "batch_dims", "reduction")

def compute(job, arrays):
    attributes = {name: job[name] for name in ATTRIBUTES if name in job}
    node = helper.make_node(NODES[job["op"]], list(arrays), ["output"], **attributes)
    types = {name: numpy_helper.from_array(array).data_type for name, array in arrays.items()}
    inputs = [helper.make_tensor_value_info(name, types[name], arrays[name].shape) for name in arrays]
    output = helper.make_tensor_value_info("output", types[list(arrays)[0]], None)
    graph = helper.make_graph([node], "case", inputs, [output])
    opset = int(job.get("spec", "onnx-16").removeprefix("onnx-"))  # a smaller case may have no spec
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, arrays)[0]

folder = pathlib.Path(sys.argv[1])
for line in (folder / "cases.jsonl").read_text().splitlines():
    job = json.loads(line)
    arrays = {name: np.load(folder / job[name]) for name in OPERANDS if name in job}
    try:
        np.save(folder / job["output"], compute(job, arrays))
    except Exception as error:
        (folder / f"{job['name']}.error").write_text(str(error))
