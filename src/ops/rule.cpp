#include "ops/rule.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace tensorop {
namespace {

constexpr Rule kAllRules[] = {
    // Every operator.
    {"T-0", "The operator exists in the version that --spec names, under the name that was typed.",
     "Each publisher, by the number in which each version appeared. tensorop knows onnx-1 to onnx-28, "
     "openvino-1 to openvino-16, mdf, stablehlo-0.9 to stablehlo-1.20, webnn, torch-2, numpy-2 and jax-0.",
     "tensorop expand '[1]' --shape 2 --spec onnx-7", "tensorop expand '[1]' --shape 2 --spec onnx-8"},
    {"G-8",
     "Every required operand and attribute is given, none is given twice, and the version and the chosen "
     "mode use every attribute that is given.",
     "ONNX and OpenVINO list the inputs and attributes of each version. Options such as --oob are tensorop's "
     "own.",
     "tensorop gather '[1,2]' 0 --batch-dims 0 --spec onnx-13",
     "tensorop gather '[1,2]' 0 --batch-dims 0 --spec openvino-8"},
    {"G-2",
     "The result has at most 64 dimensions and at most 2^47 bytes; under --dry-run, fewer than 2^63 bytes.",
     "tensorop. ONNX and OpenVINO state no limit.", "tensorop broadcast 1 --shape 4611686018427387904,4",
     "tensorop broadcast 1 --shape 0,4"},
    {"T-1", "The version allows the dtype of each data operand.",
     "ONNX and OpenVINO, in the type constraints of each version. tensorop's own semantics refuse what has "
     "no meaning: arithmetic, order and reductions of float8, float4, int4 and uint4.",
     "tensorop gather '{\"dtype\":\"bfloat16\",\"data\":[1,2]}' 0 --spec onnx-11",
     "tensorop gather '{\"dtype\":\"bfloat16\",\"data\":[1,2]}' 0 --spec onnx-13"},
    {"T-2",
     "Operands that share a type variable have the same dtype: data and updates, a and b, x and y. Nothing "
     "is promoted.",
     "ONNX and OpenVINO.",
     "tensorop add '{\"dtype\":\"int32\",\"data\":[1]}' '{\"dtype\":\"int64\",\"data\":[2]}'",
     "tensorop add '{\"dtype\":\"int64\",\"data\":[1]}' '{\"dtype\":\"int64\",\"data\":[2]}'"},
    {"T-3", "The reduction is defined for the dtype of data.",
     "OpenVINO for numbers and bool. ONNX declares every dtype without saying what a reduction of complex "
     "numbers or strings is; tensorop refuses those without a meaning.",
     "tensorop scatternd '[true,false]' '[[0]]' '[true]' --reduction mean",
     "tensorop scatternd '[true,false]' '[[0]]' '[true]' --reduction max"},

    // Axes and indices.
    {"AX-1", "The axis is in the range -rank(data) to rank(data)-1. A negative axis counts from the end.",
     "ONNX and OpenVINO.", "tensorop gather '[[1,2],[3,4]]' 0 --axis 2",
     "tensorop gather '[[1,2],[3,4]]' 0 --axis -1"},
    {"AX-3", "The axis is not negative, in versions whose axes are counted from the front alone.",
     "WebNN gather, gatherElements and scatterElements, whose axis is an unsigned integer.",
     "tensorop gather '{\"dtype\":\"float32\",\"data\":[1,2]}' 0 --axis -1 --spec webnn",
     "tensorop gather '{\"dtype\":\"float32\",\"data\":[1,2]}' 0 --axis 0 --spec webnn"},
    {"ND-1", "No operand and no result has a dimension of 0, in publishers without empty tensors.",
     "WebNN, which allows no empty tensor (its issue 391 asks for them).",
     "tensorop add '[]' '[1]' --dtype float32 --spec webnn",
     "tensorop add '[2]' '[1]' --dtype float32 --spec webnn"},
    {"IX-3", "The version allows the dtype of indices.",
     "ONNX and OpenVINO, in the type constraints of each version.",
     "tensorop gathernd '[1,2]' '{\"dtype\":\"int32\",\"data\":[[0]]}' --spec onnx-13",
     "tensorop gathernd '[1,2]' '{\"dtype\":\"int64\",\"data\":[[0]]}' --spec onnx-13"},
    {"IX-1",
     "Every index is in range: -d to d-1 for an axis of size d, or 0 to d-1 in versions without negative "
     "indices. In OpenVINO Gather-8, StableHLO and WebNN, and with --oob other than error, an index out of "
     "range is no error. In "
     "tensorscatter 0 to d less the length of updates along the axis; with --mode circular any from 0 on.",
     "ONNX and OpenVINO. Where their text leaves the result open (ONNX Scatter-9 and ScatterND, OpenVINO "
     "Gather-1, Gather-7 and GatherND), tensorop decided for an error.",
     "tensorop gather '[1,2,3]' 3", "tensorop gather '[1,2,3]' 2"},
    {"IX-2", "No index is negative, in versions without negative indices.",
     "OpenVINO Gather-1, Gather-7, GatherND-5, GatherElements-6, ScatterUpdate-3, ScatterElementsUpdate-3 "
     "and ScatterNDUpdate-3. ONNX Gather-1, Scatter-9 and TensorScatter-24 in mode circular do not promise "
     "negative indices; tensorop refuses them there.",
     "tensorop gather '[1,2,3]' -1 --spec openvino-7", "tensorop gather '[1,2,3]' -1 --spec openvino-8"},

    // The gather family.
    {"GA-1", "The rank of data is at least 1.", "ONNX and OpenVINO.", "tensorop gather 5 '[0]'",
     "tensorop gather '[5]' '[0]'"},
    {"GA-3",
     "batch_dims is in the range -m to m, where m is the smaller rank of data and indices. A negative value "
     "counts from the end of the dimensions of indices.",
     "OpenVINO Gather-7 and Gather-8. The default semantics follow them.",
     "tensorop gather '[[1,2],[3,4]]' '[[0],[1]]' --axis 1 --batch-dims 3",
     "tensorop gather '[[1,2],[3,4]]' '[[0],[1]]' --axis 1 --batch-dims 1"},
    {"GA-4", "batch_dims, counted from the front, is at most axis.",
     "OpenVINO Gather-7 and Gather-8. The default semantics follow them.",
     "tensorop gather '[[1,2],[3,4]]' '[[0],[1]]' --axis 0 --batch-dims 1",
     "tensorop gather '[[1,2],[3,4]]' '[[0],[1]]' --axis 1 --batch-dims 1"},
    {"GA-5", "The first batch_dims dimensions of data and indices are equal.",
     "OpenVINO Gather-7 and Gather-8. The default semantics follow them.",
     "tensorop gather '[[1,2],[3,4]]' '[[0]]' --axis 1 --batch-dims 1",
     "tensorop gather '[[1,2],[3,4]]' '[[0],[1]]' --axis 1 --batch-dims 1"},
    {"GE-1", "The rank of data is at least 1.", "ONNX and OpenVINO.", "tensorop gatherelements 5 0",
     "tensorop gatherelements '[5]' '[0]'"},
    {"GE-2", "indices has the rank of data.", "ONNX and OpenVINO.",
     "tensorop gatherelements '[[1,2],[3,4]]' '[0,0]'", "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0]]'"},
    {"GE-4",
     "In every dimension except axis, indices is no larger than data; in OpenVINO the sizes are equal.",
     "OpenVINO GatherElements-6. ONNX states no limit; tensorop refuses larger indices, as ONNX Runtime and "
     "PyTorch do.",
     "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0,0]]'",
     "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0]]'"},
    {"PT-1",
     "In every dimension except axis, indices is no larger than data, or with take_along_dim as large where "
     "neither is 1. In every dimension it is no larger than updates.",
     "PyTorch's gather, take_along_dim and scatter functions.",
     "tensorop gather '[[1,2],[3,4]]' '[[0,0,0]]' --spec torch-2",
     "tensorop gather '[[1,2],[3,4]]' '[[0,0]]' --spec torch-2"},
    {"PT-2",
     "The ranks of the operands are equal, or indices has rank 1 where it is an index of slices. A tensor "
     "without dimensions counts as of shape (1).",
     "PyTorch, which also takes indices without elements of any rank; tensorop does not.",
     "tensorop index_select '[1,2]' '[[0]]' --spec torch-2",
     "tensorop index_select '[1,2]' 0 --spec torch-2"},
    {"PT-3", "indices is int64, or for index_select, index_add and index_reduce int32 or int64.", "PyTorch.",
     "tensorop gather '[1,2]' '{\"dtype\":\"int32\",\"data\":[0]}' --spec torch-2",
     "tensorop gather '[1,2]' '{\"dtype\":\"int64\",\"data\":[0]}' --spec torch-2"},
    {"GN-1", "The rank of data and the rank of indices are at least 1.", "ONNX and OpenVINO.",
     "tensorop gathernd 5 '[0]'", "tensorop gathernd '[5]' '[0]'"},
    {"GN-2",
     "batch_dims is at least 0 and less than the rank of data and the rank of indices. In the default "
     "semantics a negative value counts from the end of the dimensions of indices.",
     "ONNX and OpenVINO; negative values are tensorop's own.",
     "tensorop gathernd '[[1,2],[3,4]]' '[[1],[0]]' --batch-dims 2",
     "tensorop gathernd '[[1,2],[3,4]]' '[[1],[0]]' --batch-dims 1"},
    {"GN-3",
     "The first batch_dims dimensions of data and indices are equal; in OpenVINO and the default semantics "
     "one of the two may also be 1.",
     "ONNX GatherND-12 and later (equal); OpenVINO GatherND-5 and later (equal or 1).",
     "tensorop gathernd '[[1,2],[3,4]]' '[[1]]' --batch-dims 1 --spec onnx-13",
     "tensorop gathernd '[[1,2],[3,4]]' '[[1],[0]]' --batch-dims 1 --spec onnx-13"},
    {"GN-4",
     "The length of the index tuples, which is the last dimension of indices, is in the range 1 to "
     "rank(data) - batch_dims; in OpenVINO and the default semantics it may be 0.",
     "ONNX (from 1); OpenVINO (from 0).", "tensorop gathernd '[[1,2],[3,4]]' '[[0,1,0]]'",
     "tensorop gathernd '[[1,2],[3,4]]' '[[0,1]]'"},

    // The scatter family.
    {"SE-1", "The rank of data is at least 1.", "ONNX and OpenVINO.", "tensorop scatterelements 5 0 7",
     "tensorop scatterelements '[5]' '[0]' '[7]'"},
    {"SE-2", "indices has the rank of data.", "ONNX and OpenVINO.",
     "tensorop scatterelements '[[1,2]]' '[0]' '[7]'", "tensorop scatterelements '[[1,2]]' '[[0]]' '[[7]]'"},
    {"SE-3", "updates has the shape of indices.", "ONNX and OpenVINO.",
     "tensorop scatterelements '[1,2,3]' '[0,2]' '[7]'",
     "tensorop scatterelements '[1,2,3]' '[0,2]' '[7,8]'"},
    {"SE-5",
     "In every dimension except axis, indices is no larger than data; in OpenVINO ScatterElementsUpdate-3 "
     "along axis too.",
     "OpenVINO ScatterElementsUpdate-3. ONNX states no limit; tensorop refuses larger indices, as ONNX "
     "Runtime and PyTorch do.",
     "tensorop scatterelements '[[1,2]]' '[[0,0,0]]' '[[7,8,9]]'",
     "tensorop scatterelements '[[1,2]]' '[[0,0]]' '[[7,8]]'"},
    {"SE-6", "The version has the reduction, by this name.",
     "ONNX ScatterElements-16 and -18, OpenVINO ScatterElementsUpdate-12. The default semantics know the "
     "names of both.",
     "tensorop scatterelements '[1]' '[0]' '[2]' --reduction max --spec onnx-16",
     "tensorop scatterelements '[1]' '[0]' '[2]' --reduction max --spec onnx-18"},
    {"SN-1", "The rank of data and the rank of indices are at least 1.", "ONNX and OpenVINO.",
     "tensorop scatternd 5 '[0]' 7", "tensorop scatternd '[5]' '[0]' 7"},
    {"SN-2",
     "The length of the index tuples, which is the last dimension of indices, is at most the rank of data.",
     "ONNX and OpenVINO. Neither states a lower bound, so tensorop accepts tuples of length 0: each updates "
     "all of data.",
     "tensorop scatternd '[1,2]' '[[0,1]]' '[7]'", "tensorop scatternd '[1,2]' '[[0]]' '[7]'"},
    {"SN-3",
     "The shape of updates is indices.shape[:-1] + data.shape[k:], where k is indices.shape[-1]. Where that "
     "is rank 0, OpenVINO and the default semantics accept any shape with one element.",
     "ONNX and OpenVINO.", "tensorop scatternd '[1,2,3]' '[[0],[2]]' '[7]'",
     "tensorop scatternd '[1,2,3]' '[[0],[2]]' '[7,8]'"},
    {"SN-4", "The version has the reduction, by this name.",
     "ONNX ScatterND-16 and -18, OpenVINO ScatterNDUpdate-15. The default semantics know the names of both.",
     "tensorop scatternd '[1]' '[[0]]' '[2]' --reduction max --spec onnx-16",
     "tensorop scatternd '[1]' '[[0]]' '[2]' --reduction max --spec onnx-18"},
    {"SU-1", "The rank of data is at least 1.", "OpenVINO.", "tensorop scatterupdate 5 0 7",
     "tensorop scatterupdate '[5]' 0 7"},
    {"SU-2", "The shape of updates is data.shape[:axis] + indices.shape + data.shape[axis+1:].", "OpenVINO.",
     "tensorop scatterupdate '[1,2,3]' '[0,2]' '[7]'", "tensorop scatterupdate '[1,2,3]' '[0,2]' '[7,8]'"},

    {"TS-1", "The rank of data is at least 2, and axis is not the first one, which is that of the batches.",
     "ONNX TensorScatter-24.", "tensorop tensorscatter '[1,2]' '[3]'",
     "tensorop tensorscatter '[[1,2]]' '[[3]]' --axis 1"},
    {"TS-2", "updates has the shape of data, and is no longer than data along axis.",
     "ONNX TensorScatter-24. Its pseudocode and reference take the remainder of the whole coordinate in mode "
     "circular, so that rows of a batch beyond the length of the axis land in another one (ONNX issue 8353); "
     "the text means the position along the axis, which tensorop computes.",
     "tensorop tensorscatter '[[1,2]]' '[[3,4,5]]' --axis 1",
     "tensorop tensorscatter '[[1,2]]' '[[3,4]]' --axis 1"},
    {"TS-3", "indices has rank 1 and the length of dimension 0 of data.", "ONNX TensorScatter-24.",
     "tensorop tensorscatter '[[1,2]]' '[0,1]' '[[3]]' --axis 1",
     "tensorop tensorscatter '[[1,2]]' '[1]' '[[3]]' --axis 1"},

    // Windows: StableHLO's gather, scatter and dynamic slices.
    {"SG-1",
     "The entries of offset_dims, collapsed_slice_dims and operand_batching_dims are as many as data has "
     "dimensions.",
     "StableHLO gather (C1).", "tensorop gatherslices 5 '[]' --slice-sizes '[]' --offset-dims 0",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]'"},
    {"SG-2", "index_vector_dim is in the range 0 to rank(indices).", "StableHLO gather (C2).",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]' --index-vector-dim 2",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]'"},
    {"SG-3",
     "start_index_map has an entry for each component of an index vector; of one, where each index is a "
     "vector.",
     "StableHLO gather (C3).", "tensorop gatherslices 5 '[0]' --slice-sizes '[]'",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]'"},
    {"SG-4", "offset_dims is strictly increasing, and its entries are dimensions of the result.",
     "StableHLO gather (C4, C5).", "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 1",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 0"},
    {"SG-5",
     "collapsed_slice_dims and operand_batching_dims are strictly increasing dimensions of data, none of "
     "them in both.",
     "StableHLO gather (C6 to C8, C10, C11).",
     "tensorop gatherslices '[1]' '[]' --slice-sizes 1 --collapsed-slice-dims 1",
     "tensorop gatherslices '[1]' '[]' --slice-sizes 1 --collapsed-slice-dims 0"},
    {"SG-6", "In slice_sizes collapsed and batching dimensions have the size 1, or 0 if the result is empty.",
     "StableHLO gather (C9, C12), which allows 0 for every result.",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --collapsed-slice-dims 0",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 1 --collapsed-slice-dims 0"},
    {"SG-7",
     "start_indices_batching_dims are distinct dimensions of indices without index_vector_dim, of the sizes "
     "of operand_batching_dims.",
     "StableHLO gather (C13 to C17), from version 1.1.",
     "tensorop gatherslices '[1]' '[[]]' --slice-sizes 1 --index-vector-dim 1 --operand-batching-dims 0",
     "tensorop gatherslices '[1]' '[[]]' --slice-sizes 1 --index-vector-dim 1 --operand-batching-dims 0 "
     "--start-indices-batching-dims 0"},
    {"SG-8", "start_index_map has distinct dimensions of data, none of them a batching dimension.",
     "StableHLO gather (C18, C19).",
     "tensorop gatherslices '[1]' '[0]' --slice-sizes 1 --offset-dims 0 --start-index-map 1",
     "tensorop gatherslices '[1]' '[0]' --slice-sizes 1 --offset-dims 0 --start-index-map 0"},
    {"SG-9", "slice_sizes has a size for each dimension of data, no larger than it.",
     "StableHLO gather (C20, C21).", "tensorop gatherslices '[1,2]' '[]' --slice-sizes 3 --offset-dims 0",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 0"},
    {"SS-1",
     "The entries of update_window_dims, inserted_window_dims and input_batching_dims are as many as data "
     "has dimensions.",
     "StableHLO scatter (C2).", "tensorop scatterslices 5 '[]' 7 --update-window-dims 0",
     "tensorop scatterslices 5 '[]' 7"},
    {"SS-2",
     "index_vector_dim is in the range 0 to rank(indices), and scatter_dims_to_operand_dims has an entry for "
     "each component of an index vector.",
     "StableHLO scatter (C19, C22).", "tensorop scatterslices 5 '[]' 7 --index-vector-dim 2",
     "tensorop scatterslices 5 '[]' 7"},
    {"SS-3", "update_window_dims is strictly increasing, and its entries are dimensions of updates.",
     "StableHLO scatter (C7, C8).", "tensorop scatterslices '[1,2]' '[]' '[7]' --update-window-dims 1",
     "tensorop scatterslices '[1,2]' '[]' '[7]' --update-window-dims 0"},
    {"SS-4",
     "inserted_window_dims and input_batching_dims are strictly increasing dimensions of data, none of them "
     "in both.",
     "StableHLO scatter (C9 to C13).", "tensorop scatterslices '[1]' '[]' 7 --inserted-window-dims 1",
     "tensorop scatterslices '[1]' '[]' 7 --inserted-window-dims 0"},
    {"SS-5",
     "scatter_indices_batching_dims are distinct dimensions of indices without index_vector_dim, of the "
     "sizes of input_batching_dims.",
     "StableHLO scatter (C14 to C18), from version 1.1.",
     "tensorop scatterslices '[1]' '[[]]' '[7]' --index-vector-dim 1 --input-batching-dims 0",
     "tensorop scatterslices '[1]' '[[]]' '[7]' --index-vector-dim 1 --input-batching-dims 0 "
     "--scatter-indices-batching-dims 0"},
    {"SS-6",
     "scatter_dims_to_operand_dims has distinct dimensions of data, none of them a batching dimension.",
     "StableHLO scatter (C20, C21).",
     "tensorop scatterslices '[1]' '[0]' 7 --inserted-window-dims 0 --scatter-dims-to-operand-dims 1",
     "tensorop scatterslices '[1]' '[0]' 7 --inserted-window-dims 0 --scatter-dims-to-operand-dims 0"},
    {"SS-7",
     "updates has windows no larger than data at update_window_dims, and elsewhere the dimensions of indices "
     "without index_vector_dim.",
     "StableHLO scatter (C4).", "tensorop scatterslices '[1,2]' '[]' '[7,8,9]' --update-window-dims 0",
     "tensorop scatterslices '[1,2]' '[]' '[7,8]' --update-window-dims 0"},
    {"SD-1", "indices has rank 1 and a start for each dimension of data.",
     "StableHLO dynamic slices, whose starts are scalars.",
     "tensorop dynamicslice '[[1,2]]' '[0]' --slice-sizes 1,1",
     "tensorop dynamicslice '[[1,2]]' '[0,1]' --slice-sizes 1,1"},
    {"SD-2", "The window has a size for each dimension of data, no larger than it.",
     "StableHLO dynamic slices.", "tensorop dynamicslice '[1,2]' '[0]' --slice-sizes 3",
     "tensorop dynamicslice '[1,2]' '[0]' --slice-sizes 2"},

    // Broadcasting between operands.
    {"BC-M1",
     "numpy: with the shapes aligned on the right, two sizes in one dimension are equal, or one of them is "
     "1.",
     "ONNX from opset 7 (Min and Max from 8), OpenVINO and NumPy.", "tensorop add '[1,2,3]' '[1,2]'",
     "tensorop add '[1,2,3]' '[[1],[2]]'"},
    {"BC-N1", "none: the shapes of all operands are identical, ranks included.",
     "OpenVINO auto_broadcast none; ONNX Min and Max before opset 8.",
     "tensorop add '[1,2]' '[1]' --auto-broadcast none",
     "tensorop add '[1,2]' '[1,1]' --auto-broadcast none"},
    {"BC-P1", "pdpd: the rank of b is at most that of a.", "OpenVINO auto_broadcast pdpd.",
     "tensorop add '[1,2]' '[[1,2]]' --auto-broadcast pdpd",
     "tensorop add '[[1,2]]' '[1,2]' --auto-broadcast pdpd"},
    {"BC-P2", "pdpd: axis is at least -1; -1 aligns b with a on the right.", "OpenVINO auto_broadcast pdpd.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis -2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis -1"},
    {"BC-P3",
     "pdpd: b, which begins at dimension axis of a, ends within a. Trailing dimensions of size 1 of b do not "
     "count.",
     "OpenVINO auto_broadcast pdpd, by its text; its implementation counts the trailing dimensions.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis 2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd --axis 1"},
    {"BC-P4", "pdpd: each dimension of b is 1 or equal to that of a at its position. Only b is repeated.",
     "OpenVINO auto_broadcast pdpd. That inner dimensions of size 1 are repeated follows from its example.",
     "tensorop add '[[1,2],[3,4]]' '[1,2,3]' --auto-broadcast pdpd",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --auto-broadcast pdpd"},
    {"BC-L1", "legacy: --broadcast is 0 or 1.", "ONNX opsets 1 to 6.",
     "tensorop add '[1,2]' '[1]' --broadcast 2", "tensorop add '[1,2]' '[1]' --broadcast 1"},
    {"BC-L2", "legacy: with --broadcast 0, the default of those versions, the shapes are identical.",
     "ONNX opsets 1 to 6.", "tensorop add '[1,2]' '[1]' --broadcast 0",
     "tensorop add '[1,2]' '[1,1]' --broadcast 0"},
    {"BC-L3", "legacy: with --broadcast 1 the rank of b is at most that of a.", "ONNX opsets 1 to 6.",
     "tensorop add '[1,2]' '[[1,2]]' --broadcast 1", "tensorop add '[[1,2]]' '[1,2]' --broadcast 1"},
    {"BC-L5",
     "legacy: axis is non-negative, and b, which begins at dimension axis of a, ends within a. A b of one "
     "element fits at any axis.",
     "ONNX opsets 1 to 6. That a negative axis is an error is tensorop's decision.",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1 --axis 2",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1 --axis 1"},
    {"BC-L6",
     "legacy: the shape of b is equal to a contiguous part of the shape of a. Dimensions of size 1 are not "
     "repeated, unless b has one element.",
     "ONNX opsets 1 to 6.", "tensorop add '[[1,2],[3,4]]' '[[1],[2]]' --broadcast 1",
     "tensorop add '[[1,2],[3,4]]' '[1,2]' --broadcast 1"},

    // Broadcast and Expand.
    {"BC-T1",
     "--shape is a list of integers: a tensor of rank 1, of an integer dtype that the version allows.",
     "ONNX Expand and OpenVINO Broadcast.", "tensorop broadcast 1 --shape '[1.5]'",
     "tensorop broadcast 1 --shape '[2]'"},
    {"BC-T2", "No dimension of --shape is negative. -1 does not stand for a dimension to be computed.",
     "ONNX Expand and OpenVINO Broadcast.", "tensorop broadcast 1 --shape '[-1]'",
     "tensorop broadcast 1 --shape '[1]'"},
    {"BC-W1", "In PyTorch's expand, -1 in --shape keeps the dimension of data, which has one there.",
     "PyTorch.", "tensorop expand '[1,2]' --shape='-1,2' --spec torch-2",
     "tensorop expand '[1,2]' --shape='3,-1' --spec torch-2"},
    {"BC-B1",
     "bidirectional: with data.shape and --shape aligned on the right, two sizes in one dimension are equal, "
     "or one of them is 1.",
     "ONNX Expand and OpenVINO Broadcast-3.", "tensorop expand '[1,2]' --shape 3",
     "tensorop expand '[1,2]' --shape 3,1"},
    {"BR-1", "The version has the mode.",
     "OpenVINO. Broadcast-1 has no bidirectional; pdpd is in OpenVINO's code, not in its documents.",
     "tensorop broadcast '[1,2]' --shape 2,2 --mode bidirectional --spec openvino-1",
     "tensorop broadcast '[1,2]' --shape 2,2 --mode bidirectional --spec openvino-3"},
    {"BC-U1", "numpy: the rank of data is at most the length of --shape.",
     "OpenVINO Broadcast and NumPy broadcast_to.", "tensorop broadcast '[[1,2,3]]' --shape 3",
     "tensorop broadcast '[[1,2,3]]' --shape 1,3"},
    {"BC-U2",
     "numpy: with data.shape and --shape aligned on the right, each dimension of data is 1 or equal to that "
     "of --shape.",
     "OpenVINO Broadcast and NumPy broadcast_to.", "tensorop broadcast '[1,2]' --shape 2,3",
     "tensorop broadcast '[1,2]' --shape 3,2"},
    {"BR-2",
     "pdpd: data begins at a non-negative dimension of the target and ends within it. Trailing dimensions of "
     "size 1 of data do not count.",
     "OpenVINO's code; its documents do not have the mode.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode pdpd --axis 2",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode pdpd --axis 0"},
    {"BR-3", "pdpd: each dimension of data is 1 or equal to that of the target at its position.",
     "OpenVINO's code, which also repeats a target dimension of size 1; tensorop does not.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode pdpd",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode pdpd --axis 0"},
    {"BC-E1", "--axes-mapping is given in mode explicit, and only there.", "OpenVINO Broadcast.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E2",
     "explicit: --axes-mapping is a list of integers with one entry for each dimension of data. Scalar data "
     "may have one entry if that target dimension is 1.",
     "OpenVINO Broadcast; the exception for scalars is in its code.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0,1",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E3", "explicit: each entry of --axes-mapping is a dimension of the target, counted from 0.",
     "OpenVINO Broadcast.", "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 2",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},
    {"BC-E4",
     "explicit: the entries of --axes-mapping are strictly increasing; in StableHLO they are distinct, in "
     "any order.",
     "OpenVINO Broadcast, which says sorted; that no entry repeats is tensorop's decision. StableHLO "
     "broadcast_in_dim (C4).",
     "tensorop broadcast '[[1,2]]' --shape 2,1 --mode explicit --axes-mapping 1,0",
     "tensorop broadcast '[[1,2]]' --shape 1,2 --mode explicit --axes-mapping 0,1"},
    {"BC-E5",
     "explicit: each dimension of data is 1 or equal to the target dimension that --axes-mapping gives it.",
     "OpenVINO's code; its documents say nothing.",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 1",
     "tensorop broadcast '[1,2]' --shape 2,3 --mode explicit --axes-mapping 0"},

    // Where and Select.
    {"WH-1", "The condition is bool.", "ONNX Where and OpenVINO Select.",
     "tensorop where '[1,0]' '[1,2]' '[3,4]'", "tensorop where '[true,false]' '[1,2]' '[3,4]'"},
    {"WH-2",
     "numpy: condition, x and y broadcast together: aligned on the right, the sizes in one dimension are "
     "equal or 1.",
     "ONNX Where. The default semantics follow it.", "tensorop where '[true,false]' '[1,2,3]' '[4,5,6]'",
     "tensorop where '[[true],[false]]' '[1,2,3]' '[4,5,6]'"},
    {"SL-1", "none: the shapes of condition, x and y are identical.", "OpenVINO Select.",
     "tensorop select '[true]' '[1,2]' '[3,4]' --auto-broadcast none",
     "tensorop select '[true,false]' '[1,2]' '[3,4]' --auto-broadcast none"},
    {"SL-2",
     "numpy in OpenVINO: x and y broadcast together, and the condition broadcasts to their shape without "
     "enlarging it.",
     "OpenVINO Select-1, by its text; its code also lets the condition enlarge the result.",
     "tensorop select '[[true],[false]]' '[1,2]' '[3,4]' --spec openvino-1",
     "tensorop select '[true,false]' '[1,2]' '[3,4]' --spec openvino-1"},
    {"SL-4", "In StableHLO x and y have the same shape.", "StableHLO select (C2).",
     "tensorop select true '[1,2]' '[[1,2]]' --spec stablehlo-1.1",
     "tensorop select true '[1,2]' '[3,4]' --spec stablehlo-1.1"},
    {"SL-5", "In StableHLO the condition has rank 0 or the shape of x and y.", "StableHLO select (C1).",
     "tensorop select '[true]' '[1,2]' '[3,4]' --spec stablehlo-1.1",
     "tensorop select '[true,false]' '[1,2]' '[3,4]' --spec stablehlo-1.1"},

    // Element-wise operators.
    {"EW-1", "The number of operands is that of the version, where the version fixes it.",
     "ONNX and OpenVINO. OpenVINO's Minimum and Maximum take two operands, all others any number.",
     "tensorop min '[1]' '[2]' '[3]' --spec openvino-1", "tensorop min '[1]' '[2]' --spec openvino-1"},
    {"EW-3", "The version has the broadcasting rule.",
     "ONNX and OpenVINO. OpenVINO documents pdpd for Add, Subtract, Multiply, Divide, comparisons, logical "
     "operators and Select only.",
     "tensorop pow '[2]' '[3]' --auto-broadcast pdpd --spec openvino-1",
     "tensorop pow '[2]' '[3]' --auto-broadcast numpy --spec openvino-1"},
    {"EW-4", "mod of floats under --spec onnx-N has --fmod.", "ONNX Mod-10 and Mod-13.",
     "tensorop mod '[7.5]' '[2.0]' --spec onnx-13", "tensorop mod '[7.5]' '[2.0]' --fmod --spec onnx-13"},
    {"EW-5", "--fmod is 0, 1, true or false.", "ONNX Mod (0 and 1).", "tensorop mod '[7]' '[3]' --fmod=2",
     "tensorop mod '[7]' '[3]' --fmod=1"},
    {"EW-6", "--direction is left or right.", "ONNX BitShift.",
     "tensorop bitshift '[1]' '[2]' --direction up", "tensorop bitshift '[1]' '[2]' --direction left"},
    {"EW-7", "No integer is divided by zero, and no integer 0 is raised to a negative power.",
     "tensorop. ONNX and OpenVINO leave the result undefined.", "tensorop div '[1]' '[0]'",
     "tensorop div '[1]' '[2]'"},
    {"EW-8",
     "The result of pow is representable in the integer dtype of a, and the shift amount of bitshift is "
     "non-negative.",
     "tensorop. ONNX and OpenVINO leave the result undefined.",
     "tensorop bitshift '[1]' '[-1]' --direction left", "tensorop bitshift '[1]' '[1]' --direction left"},
    {"PR-1",
     "prelu in ONNX opsets 1 to 6: b has one element, the shape of a, or one element for each channel, which "
     "is dimension 1 of a.",
     "ONNX PRelu-1 and PRelu-6, which say that a slope of size 1 is shared across channels; that channels "
     "are "
     "dimension 1 is tensorop's decision.",
     "tensorop prelu '[[-1.0,2.0,3.0]]' '[2.0,3.0]' --spec onnx-6",
     "tensorop prelu '[[-1.0,2.0,3.0]]' '[2.0,3.0,4.0]' --spec onnx-6"},
};

}  // namespace

std::span<const Rule> all_rules() {
  return kAllRules;
}

const Rule* find_rule(std::string_view id) {
  if (id.starts_with('[') && id.ends_with(']')) id = id.substr(1, id.size() - 2);
  const std::string wanted = fold_name(id);
  const auto found =
      std::ranges::find_if(kAllRules, [&](const Rule& rule) { return fold_name(rule.id) == wanted; });
  return found == std::end(kAllRules) ? nullptr : found;
}

std::vector<const Rule*> rules_of(const Operator& op) {
  std::set<std::string_view> ids = {"T-0", "G-2", kCallRule, op.count_rule};
  std::set<std::string_view> types;
  for (const OperandSpec& operand : op.operands) {
    ids.insert(operand.rule);
    if (!types.insert(operand.type).second || operand.variadic) ids.insert(kSameTypeRule);
    if (operand.role == OperandRole::indices) ids.insert({"IX-1", "IX-2"});
  }
  for (const AttributeSpec& attribute : op.attributes) ids.insert(attribute.rule);
  ids.insert(op.rules.begin(), op.rules.end());
  ids.insert(op.broadcast_rules.begin(), op.broadcast_rules.end());
  for (const Version& version : op.versions) {
    const bool is_standard = version.framework == Framework::standard;
    if (!is_standard && !publisher_of(version.framework).zero_dims) ids.insert("ND-1");
  }
  std::vector<const Rule*> rules;
  for (const Rule& rule : kAllRules) {
    if (ids.contains(rule.id)) rules.push_back(&rule);
  }
  return rules;
}

bool is_rule_id(std::string_view text) {
  return text.find('-') != std::string_view::npos &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == std::string_view::npos;
}

}  // namespace tensorop
