#include "ops/foreign_names.hpp"

#include <algorithm>
#include <cstddef>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "ops/registry.hpp"

namespace tensorop {
namespace {

// clang-format off
constexpr ForeignCall kCalls[] = {
    {"NumPy", " take index ", "np.take(a, i, axis=1)", "gather a i --axis 1"},
    {"NumPy", "", "np.take(a, i)", "gather a i --flat; without an axis NumPy takes elements"},
    {"NumPy", "", "a[i]", "gather a i"},
    {"NumPy", "", "np.take(a, i, mode=\"clip\")", "gather a i --oob clamp"},
    {"NumPy", "", "np.take(a, i, mode=\"wrap\")", "gather a i --oob wrap"},
    {"NumPy", "", "a[i[:, 0], i[:, 1]]", "gathernd a i"},
    {"NumPy", " compress extract ", "np.compress(m, a, axis=1)", "gather a --mask m --axis 1"},
    {"NumPy", "", "a[m], m of bools", "gathernd a --mask m"},
    {"NumPy", " putmask place ", "a[m] = u, m of bools", "scatternd a --mask m u; --broadcast-updates repeats u"},
    {"NumPy", " argwhere flatnonzero ", "np.argwhere(a)", "nonzero a"},
    {"NumPy", " takealongaxis ", "np.take_along_axis(a, i, 1)", "gatherelements a i --axis 1"},
    {"NumPy", " putalongaxis ", "np.put_along_axis(a, i, u, 1)", "scatterelements a i u --axis 1"},
    {"NumPy", " put ", "a[i] = u", "scatterupdate a i u"},
    {"NumPy", "", "a[i[:, 0], i[:, 1]] = u", "scatternd a i u"},
    {"NumPy", " addat ", "np.add.at(a, i, u)", "scatterupdate a i u --reduction add"},
    {"NumPy", " maximumat ", "np.maximum.at(a, (i[:, 0], i[:, 1]), u)", "scatternd a i u --reduction max"},
    {"NumPy", " reshape ravel flatten ", "np.take(a.reshape(2, -1), i)", "gather a i --reshape data=2,-1"},
    {"NumPy", "", "i.reshape(-1, 1)", "gathernd a i --reshape indices=-1,1"},
    {"NumPy", " broadcastto ", "np.broadcast_to(a, (4, 3))", "broadcast a --shape 4,3"},
    {"NumPy", " full zeros ones fill ", "np.full((4, 3), 7)", "expand 7 --shape 4,3"},
    {"NumPy", " append vstack ", "np.concatenate((a, b), axis=1)", "concat a b --axis 1"},
    {"NumPy", " stack ", "np.stack((a, b))", "concat a b --reshape a=1,3 --reshape b=1,3; both have shape (3)"},
    {"NumPy", " plus ", "a + b", "add a b"},
    {"NumPy", " times ", "a * b", "mul a b"},
    {"NumPy", " truedivide ", "a / b", "div a b; integers: towards zero"},
    {"NumPy", " negative neg ", "-a", "mul a -1"},
    {"NumPy", " fmin ", "np.minimum(a, b)", "min a b"},
    {"NumPy", " fmax ", "np.maximum(a, b)", "max a b"},
    {"NumPy", " remainder ", "np.mod(a, b)", "floormod a b"},
    {"NumPy", " fmod ", "np.fmod(a, b)", "mod a b --fmod=true"},
    {"NumPy", "", "a < b", "less a b"},
    {"NumPy", "", "np.where(c, a, b)", "where c a b"},
    {"NumPy", " logicalnot not ", "np.logical_not(a)", "xor a true"},
    {"NumPy", " leftshift rightshift shift lshift rshift ", "np.left_shift(a, b)", "bitshift a b --direction left"},
    {"NumPy", " astype cast ", "a.astype(np.float16)", "convert a --dtype float16; a value that does not fit is an error"},
    {"NumPy", " frombuffer ", "a.view(np.uint16)", "convert a --view uint16; of a dtype of as many bits"},
    {"NumPy", " save savez load ", "np.save(\"a.npy\", a)", "convert a -o a.npy"},
    {"NumPy", "", "np.savez(\"a.npz\", x=x, y=y)", "convert x=x.npy y=y.npy -o a.npz"},
    {"NumPy", "", "np.load(\"a.npz\")[\"x\"]", "convert a.npz:x; it is an operand of every command"},
    {"NumPy", " allclose assertallclose isclose diff cmp ", "np.testing.assert_allclose(a, e, rtol=1e-5, atol=0)", "compare a e --rtol 1e-5; shapes must be equal"},
    {"NumPy", " arrayequal assertarrayequal assertequal ", "np.testing.assert_array_equal(a, e)", "compare a e"},
    {"NumPy", " assertarraymaxulp ", "np.testing.assert_array_max_ulp(a, e, 4)", "compare a e --max-ulp 4"},
    {"NumPy", " shape dtype header inspect describe ls ", "a.dtype, a.shape", "info a"},
    {"NumPy", " print show dump view ", "print(a)", "convert a"},
    {"PyTorch", " indexselect embedding ", "torch.index_select(a, 1, i)", "gather a i --axis 1"},
    {"PyTorch", "", "torch.gather(a, 1, i)", "gatherelements a i --axis 1"},
    {"PyTorch", "", "a.scatter(1, i, u)", "scatterelements a i u --axis 1"},
    {"PyTorch", " scatteradd ", "a.scatter_add(1, i, u)", "scatterelements a i u --axis 1 --reduction add"},
    {"PyTorch", " scatterreduce ", "a.scatter_reduce(1, i, u, \"amax\", include_self=False)", "scatterelements a i u --axis 1 --reduction max --use-init-val=false"},
    {"PyTorch", " indexcopy ", "a.index_copy(0, i, u)", "scatterupdate a i u"},
    {"PyTorch", " indexadd ", "a.index_add(0, i, u)", "scatterupdate a i u --reduction add"},
    {"PyTorch", " indexfill ", "a.index_fill(0, i, 7)", "scatterupdate a i 7 --broadcast-updates"},
    {"PyTorch", " indexput ", "a.index_put((i0, i1), u, accumulate=True)", "scatternd a i u --reduction add; i is the stack of i0 and i1 along its last axis"},
    {"PyTorch", " maskedselect booleanmask ", "torch.masked_select(a, m)", "gathernd a --mask m"},
    {"PyTorch", " maskedfill ", "a.masked_fill(m, 7)", "where m 7 a"},
    {"PyTorch", " maskedscatter ", "a.masked_scatter(m, u)", "scatternd a --mask m u"},
    {"PyTorch", "", "a.expand(4, 3)", "expand a --shape 4,3"},
    {"PyTorch", " cat ", "torch.cat((a, b), 1)", "concat a b --axis 1; convert a prints a tensor"},
    {"PyTorch", " hstack ", "torch.hstack((a, b))", "concat a b --axis 1; of rank 1 --axis 0"},
    {"PyTorch", " eq ", "torch.eq(a, b)", "equal a b"},
    {"PyTorch", " ne neq ", "torch.ne(a, b)", "notequal a b"},
    {"PyTorch", " lt ", "torch.lt(a, b)", "less a b"},
    {"PyTorch", " le lte ", "torch.le(a, b)", "lessorequal a b"},
    {"PyTorch", " gt ", "torch.gt(a, b)", "greater a b"},
    {"PyTorch", " ge gte ", "torch.ge(a, b)", "greaterorequal a b"},
    {"PyTorch", " relu ", "torch.relu(a)", "max a 0"},
    {"PyTorch", " assertclose ", "torch.testing.assert_close(a, e)", "compare a e --tolerance auto"},
    {"TensorFlow", " batchgather ", "tf.gather(a, i, axis=1, batch_dims=1)", "gather a i --axis 1 --batch-dims 1"},
    {"TensorFlow", "", "tf.gather_nd(a, i, batch_dims=1)", "gathernd a i --batch-dims 1"},
    {"TensorFlow", " tensorscatternd tensorscatterndupdate ", "tf.tensor_scatter_nd_update(a, i, u)", "scatternd a i u"},
    {"TensorFlow", " tensorscatterndadd scatterndadd ", "tf.tensor_scatter_nd_add(a, i, u)", "scatternd a i u --reduction add"},
    {"JAX", "", "a.at[i].set(u)", "scatterupdate a i u"},
    {"JAX", "", "a.at[i].add(u)", "scatterupdate a i u --reduction add"},
    {"JAX", " segmentsum ", "jax.ops.segment_sum(u, i, 4)", "scatterupdate z i u --reduction add; z has 4 rows of zeros"},
    {"JAX", " broadcastindim ", "jax.lax.broadcast_in_dim(a, (4, 3), (1,))", "broadcast a --shape 4,3 --mode explicit --axes-mapping 1"},
};

struct OutOfScope {
  std::string_view names;
  std::string_view instead;  // what to use
};
constexpr OutOfScope kOutOfScope[] = {
    {" squeeze unsqueeze expanddims ", "--reshape NAME=SHAPE gives an operand of a call another shape"},
    {" slice split chunk narrow ", "gather takes the rows of a list of indices"},
    {" mean cumsum sum reducesum reducemean reducemax reducemin prod amax amin std var any all norm count ", "tensorop info --stats a.npy prints minimum, maximum and mean; NumPy reduces: np.sum(np.load(\"a.npy\"), axis=0)"},
    {" transpose permute swapaxes moveaxis t flip roll rot90 pad tile repeat repeatinterleave ", "NumPy rearranges: np.save(\"out.npy\", np.transpose(np.load(\"a.npy\"))); gather takes rows in any order and any number"},
    {" matmul dot einsum gemm tensordot bmm mm conv inner outer linear softmax ", "NumPy multiplies: np.matmul(np.load(\"a.npy\"), np.load(\"b.npy\"))"},
    {" sort argsort argmax argmin topk unique histogram bincount median quantile ", "NumPy sorts and counts: np.argsort(np.load(\"a.npy\")), whose result gather takes as indices"},
    {" clip clamp ", "max and min limit elements: tensorop max a.npy 0 -o b.npy, then tensorop min b.npy 6"},
    {" square ", "tensorop mul a.npy a.npy"},
    {" abs sqrt exp log sin cos tanh sigmoid round floor ceil erf rsqrt sign ", "NumPy computes functions of one tensor: np.exp(np.load(\"a.npy\"))"},
    {" random rand randn arange linspace eye onehot ", "NumPy makes tensors: np.save(\"i.npy\", np.arange(10))"},
};
// clang-format on

// Returns "np.take_along_axis" in the form in which the tables contain it.
std::string word_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return cat(" ", fold_name(dot == std::string_view::npos ? name : name.substr(dot + 1)), " ");
}

}  // namespace

std::span<const ForeignCall> foreign_calls() {
  return kCalls;
}

std::string foreign_hint(std::string_view name) {
  const std::string word = word_of(name);
  std::vector<std::string> specs;  // whose publishers have an operator of that name
  const bool is_general = find_operator(word.substr(1, word.size() - 2)).op != nullptr;
  for (const Publisher& publisher : kPublishers) {
    const std::string spec = spec_name(publisher.framework, publisher.newest);
    const FoundOperator found = find_operator(word.substr(1, word.size() - 2), publisher.name);
    if (found.op != nullptr && found.name->of == publisher.framework && !is_general)
      specs.push_back(cat("--spec ", spec));
  }
  std::string own = specs.empty() ? "" : cat(printable(name), " itself needs ", join_words(specs, "or"));
  const auto has_word = [&](const auto& row) { return row.names.find(word) != std::string_view::npos; };
  if (const auto call = std::ranges::find_if(kCalls, has_word); call != std::end(kCalls))
    return cat(call->library, "'s ", call->call, " is tensorop ", call->command, own.empty() ? "" : "; ",
               own);
  const auto row = std::ranges::find_if(kOutOfScope, has_word);
  if (!own.empty() || row == std::end(kOutOfScope)) return own;
  return cat(printable(name), " is outside tensorop's scope: it gathers, scatters, joins and broadcasts; ",
             row->instead);
}

}  // namespace tensorop
