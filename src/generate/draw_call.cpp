// The operands of a call, by how the shapes of its operator fit together.
#include "generate/drawing.hpp"

namespace tensorop {
namespace {

void draw_operands(Drawing& drawing) {
  switch (drawing.subject().op.op->shapes) {
    case ShapeKind::broadcast:
    case ShapeKind::broadcast_channels:
      return draw_elementwise(drawing);
    case ShapeKind::target:
      return draw_broadcast(drawing);
    case ShapeKind::joined:
      return draw_concat(drawing);
    case ShapeKind::gather:
      return draw_gather(drawing);
    case ShapeKind::gather_elements:
      return draw_gather_elements(drawing);
    case ShapeKind::gather_nd:
      return draw_gather_nd(drawing);
    case ShapeKind::scatter_elements:
      return draw_scatter_elements(drawing);
    case ShapeKind::scatter_nd:
      return draw_scatter_nd(drawing);
    case ShapeKind::scatter_update:
      return draw_scatter_update(drawing);
    case ShapeKind::tensor_scatter:
      return draw_tensor_scatter(drawing);
    case ShapeKind::windows:
      return draw_windows(drawing);
    case ShapeKind::dynamic_window:
      return draw_dynamic_window(drawing);
  }
}

}  // namespace

bool draw_call(Drawing& drawing) {
  drawing.want_sums();
  drawing.pick_words();
  draw_operands(drawing);
  drawing.note_sums();
  return !drawing.is_too_large();
}

}  // namespace tensorop
