#include "io/transport.hpp"

#include <utility>

namespace tensorop {
namespace {

class FileTransport final : public Transport {
 public:
  explicit FileTransport(OutputFile file) : file_(std::move(file)) {}

  [[nodiscard]] bool is_stream() const override { return file_.is_stream(); }
  [[nodiscard]] OutputFile* random_access() override { return file_.is_stream() ? nullptr : &file_; }
  void reserve(std::int64_t bytes) override { file_.reserve(bytes); }
  void require_space(std::int64_t bytes) const override {
    if (!file_.is_stream()) file_.require_space(bytes);
  }
  void append(std::span<const std::byte> bytes) override { file_.append(bytes); }
  void finish() override { file_.finish(); }
  void commit() override { file_.commit(); }

 private:
  OutputFile file_;
};

}  // namespace

std::unique_ptr<Transport> file_transport(OutputFile file) {
  return std::make_unique<FileTransport>(std::move(file));
}

}  // namespace tensorop
