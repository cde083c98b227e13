// A call owns the files that it reads: one that changes meanwhile fails the calls that read it, and no other.
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "io/source.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/npy_writer.hpp"
#include "support/temp_dir.hpp"
#include "support/tensors.hpp"

namespace tensorop::engine_inputs_test {
namespace {

Tensor list(const std::vector<std::int64_t>& values) {
  return tensor_of(DType::int64, {std::ssize(values)}, values);
}

void change(const std::string& path) {
  std::ofstream(path, std::ios::app | std::ios::binary) << 'x';
}

// "@i" is [1], and `on_lookup` runs when that operand is opened.
Settings settings_with(const std::function<void()>& on_lookup) {
  Settings settings;
  settings.lookup = [on_lookup](const std::string& text) -> std::optional<Tensor> {
    if (text != "@i") return std::nullopt;
    on_lookup();
    return list({1});
  };
  return settings;
}

TEST_CASE("a file that changes fails the calls that read it and no other", "[engine]") {
  const TempDir directory;
  const std::string mine = directory.file("mine.npy");
  const std::string other = directory.file("other.npy");
  write_file(mine, npy_bytes(list({4, 5, 6})));
  write_file(other, npy_bytes(list({7, 8, 9})));
  Request request;
  request.op = require_operator("gather");
  request.positional = {mine, Operand::of_result("@i")};

  // As another job of the same process has it.
  const Source mapped = Source::open(other, {});
  REQUIRE(mapped.mapping() != nullptr);
  const Tensor result = evaluate(request, settings_with([&] { change(other); }));
  CHECK(result.as<std::int64_t>()[0] == 5);

  const auto error = error_of([&] { (void)evaluate(request, settings_with([&] { change(mine); })); });
  CHECK(error == "gather: " + mine + ": changed while it was read");
}

// Otherwise a chain of jobs would keep every earlier result.
TEST_CASE("a result does not keep its operands, but what its strings are in", "[engine]") {
  for (const DType dtype : {DType::int64, DType::string}) {
    CAPTURE(name(dtype));
    auto arena = std::make_shared<std::string>("abc");
    auto storage = std::make_shared<Storage>(2 * element_size(dtype));
    if (dtype == DType::string) {
      reinterpret_cast<StringRef*>(storage->data())[1] = {arena->data(), 3};
      storage->arenas = {arena};
    }
    const std::weak_ptr<Storage> operand = storage;
    const std::weak_ptr<std::string> strings = arena;
    std::optional<Tensor> data = Tensor(dtype, {2}, storage);
    storage.reset();
    arena.reset();
    Request request;
    request.op = require_operator("gather");
    request.positional = {Operand::of_result("@data"), Operand(TextSpan{"1"})};
    Settings settings;
    settings.lookup = [&](const std::string& text) { return text == "@data" ? data : std::nullopt; };
    const Tensor result = evaluate(request, settings);
    data.reset();
    CHECK(operand.expired());
    CHECK(strings.expired() == (dtype != DType::string));
    if (dtype == DType::string) CHECK(result.strings()[0].view() == "abc");
  }
}

}  // namespace
}  // namespace tensorop::engine_inputs_test
