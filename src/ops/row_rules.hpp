// The rules of operators that move rows: a part of the list in rule.cpp.
#pragma once

#include "ops/rule.hpp"

namespace tensorop {

inline constexpr Rule kRowRules[] = {
    // The gather family.
    {"GA-1", "The rank of data is at least 1.", "ONNX and OpenVINO.", "tensorop gather 5 '[0]'",
     "tensorop gather '[5]' '[0]'", "GE-1 SE-1 SU-1"},
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
    {"GE-2", "indices has the rank of data.", "ONNX and OpenVINO.",
     "tensorop gatherelements '[[1,2],[3,4]]' '[0,0]'", "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0]]'",
     "SE-2"},
    {"GE-4",
     "In every dimension except axis, indices is no larger than data; in OpenVINO GatherElements-6 and WebNN "
     "as large, in OpenVINO ScatterElementsUpdate-3 no larger along axis too.",
     "OpenVINO GatherElements-6 and ScatterElementsUpdate-3. ONNX states no limit; tensorop refuses larger "
     "indices, as ONNX Runtime and PyTorch do.",
     "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0,0]]'",
     "tensorop gatherelements '[[1,2],[3,4]]' '[[0,0]]'", "SE-5"},
    {"PT-1",
     "In every dimension except axis, indices is no larger than data, or with take_along_dim as large where "
     "neither is 1. In every dimension it is no larger than updates.",
     "PyTorch's gather, take_along_dim and scatter functions.",
     "tensorop gather '[[1,2],[3,4]]' '[[0,0,0]]' --spec torch-2",
     "tensorop gather '[[1,2],[3,4]]' '[[0,0]]' --spec torch-2"},
    {"PT-2",
     "The ranks of the operands are equal, or indices has rank 1 where it is an index of slices. A tensor "
     "without dimensions counts as of shape (1). index_add and index_reduce have data and updates both with "
     "dimensions or both without.",
     "PyTorch. Without elements of indices gather, scatter, scatter_add and scatter_reduce check the axis "
     "alone.",
     "tensorop index_select '[1,2]' '[[0]]' --spec torch-2",
     "tensorop index_select '[1,2]' 0 --spec torch-2"},
    {"GN-1", "The rank of data and the rank of indices are at least 1.", "ONNX and OpenVINO.",
     "tensorop gathernd 5 '[0]'", "tensorop gathernd '[5]' '[0]'", "SN-1"},
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
    {"SE-3", "updates has the shape of indices.", "ONNX and OpenVINO.",
     "tensorop scatterelements '[1,2,3]' '[0,2]' '[7]'",
     "tensorop scatterelements '[1,2,3]' '[0,2]' '[7,8]'"},
    {"SE-6", "The version has the reduction, by this name.",
     "ONNX ScatterElements and ScatterND, -16 and -18, OpenVINO ScatterElementsUpdate-12 and "
     "ScatterNDUpdate-15. The default semantics know the names of both.",
     "tensorop scatterelements '[1]' '[0]' '[2]' --reduction max --spec onnx-16",
     "tensorop scatterelements '[1]' '[0]' '[2]' --reduction max --spec onnx-18", "SN-4"},
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
    {"SU-2", "The shape of updates is data.shape[:axis] + indices.shape + data.shape[axis+1:].", "OpenVINO.",
     "tensorop scatterupdate '[1,2,3]' '[0,2]' '[7]'", "tensorop scatterupdate '[1,2,3]' '[0,2]' '[7,8]'"},

    {"TS-1", "The rank of data is at least 2, and axis is not the first one, which holds the batches.",
     "ONNX TensorScatter-24.", "tensorop tensorscatter '[1,2]' '[3]'",
     "tensorop tensorscatter '[[1,2]]' '[[3]]' --axis 1"},
    {"TS-2", "updates has the shape of data, and is no longer than data along axis.",
     "ONNX TensorScatter-24. Its pseudocode and reference take the remainder of the whole coordinate in mode "
     "circular, so that rows of a batch beyond the length of the axis land in another one (ONNX pull request "
     "8353); "
     "the text means the position along the axis, which tensorop computes.",
     "tensorop tensorscatter '[[1,2]]' '[[3,4,5]]' --axis 1",
     "tensorop tensorscatter '[[1,2]]' '[[3,4]]' --axis 1"},
    {"TS-3", "indices has rank 1 and the length of dimension 0 of data.", "ONNX TensorScatter-24.",
     "tensorop tensorscatter '[[1,2]]' '[0,1]' '[[3]]' --axis 1",
     "tensorop tensorscatter '[[1,2]]' '[1]' '[[3]]' --axis 1"},

    // Windows: StableHLO's gather, scatter and dynamic slices.
    {"SG-1",
     "The entries of offset_dims, collapsed_slice_dims and operand_batching_dims, in a scatter of "
     "update_window_dims, inserted_window_dims and input_batching_dims, are as many as data has dimensions.",
     "StableHLO gather (C1), scatter (C2).",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]' --offset-dims 0",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]'", "SS-1"},
    {"SG-2",
     "index_vector_dim is in the range 0 to rank(indices), and start_index_map or "
     "scatter_dims_to_operand_dims "
     "has an entry for each component of an index vector; one entry, where each index is a vector.",
     "StableHLO gather (C2, C3), scatter (C19, C22).",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]' --index-vector-dim 2",
     "tensorop gatherslices 5 '[]' --slice-sizes '[]'", "SG-3 SS-2"},
    {"SG-4",
     "offset_dims is strictly increasing, and its entries are dimensions of the result; in a scatter "
     "update_window_dims, of updates.",
     "StableHLO gather (C4, C5), scatter (C7, C8).",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 1",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 0", "SS-3"},
    {"SG-5",
     "collapsed_slice_dims and operand_batching_dims, in a scatter inserted_window_dims and "
     "input_batching_dims, are strictly increasing dimensions of data, none of them in both.",
     "StableHLO gather (C6 to C8, C10, C11), scatter (C9 to C13).",
     "tensorop gatherslices '[1]' '[]' --slice-sizes 1 --collapsed-slice-dims 1",
     "tensorop gatherslices '[1]' '[]' --slice-sizes 1 --collapsed-slice-dims 0", "SS-4"},
    {"SG-6", "In slice_sizes collapsed and batching dimensions have the size 1, or 0 if the result is empty.",
     "StableHLO gather (C9, C12), which allows 0 for every result.",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --collapsed-slice-dims 0",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 1 --collapsed-slice-dims 0"},
    {"SG-7",
     "start_indices_batching_dims, in a scatter scatter_indices_batching_dims, are distinct dimensions of "
     "indices without index_vector_dim, of the sizes of the batching dimensions of data.",
     "StableHLO gather (C13 to C17), scatter (C14 to C18), from version 1.1.",
     "tensorop gatherslices '[1]' '[[]]' --slice-sizes 1 --index-vector-dim 1 --operand-batching-dims 0",
     "tensorop gatherslices '[1]' '[[]]' --slice-sizes 1 --index-vector-dim 1 --operand-batching-dims 0 "
     "--start-indices-batching-dims 0",
     "SS-5"},
    {"SG-8",
     "start_index_map, in a scatter scatter_dims_to_operand_dims, has distinct dimensions of data, none of "
     "them a batching dimension.",
     "StableHLO gather (C18, C19), scatter (C20, C21).",
     "tensorop gatherslices '[1]' '[0]' --slice-sizes 1 --offset-dims 0 --start-index-map 1",
     "tensorop gatherslices '[1]' '[0]' --slice-sizes 1 --offset-dims 0 --start-index-map 0", "SS-6"},
    {"SG-9", "slice_sizes has a size for each dimension of data, no larger than it.",
     "StableHLO gather (C20, C21).", "tensorop gatherslices '[1,2]' '[]' --slice-sizes 3 --offset-dims 0",
     "tensorop gatherslices '[1,2]' '[]' --slice-sizes 2 --offset-dims 0"},
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
};

}  // namespace tensorop
