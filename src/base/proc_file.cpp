#include "base/proc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/files/file_descriptor.hpp"
#include "base/text.hpp"

namespace tensorop {

std::string read_proc_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(file.get(), buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return parse_int64(text.substr(0, text.find_first_not_of("0123456789")));
}

void take_least(std::optional<std::int64_t>& least, const std::optional<std::int64_t>& other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace tensorop
