#include "io/json/json_text.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/memory.hpp"

namespace tensorop {

JsonText::JsonText(Read read, std::string_view read_so_far)
    : read_(std::move(read)), buffer_(read_so_far.begin(), read_so_far.end()) {}

JsonText::JsonText(InputFile stream) {
  buffer_.resize(stream.peek(0).size());
  (void)stream.read(std::as_writable_bytes(std::span(buffer_)));
  read_ = [file = std::make_shared<InputFile>(std::move(stream))](std::span<char> buffer) {
    return file->read(std::as_writable_bytes(buffer));
  };
}

bool JsonText::extend(std::size_t needed) {
  if (!read_ || ended_) return false;
  // Small at first, so that a fault at the beginning of a slow stream shows soon.
  constexpr std::size_t kFirst = std::size_t{1} << 16;
  constexpr std::size_t kLargest = std::size_t{1} << 22;
  const std::size_t filled = buffer_.size();
  const std::size_t block = std::clamp(offset_ + filled, kFirst, kLargest);
  if (buffer_.capacity() < filled + block) {
    const std::size_t wanted = std::max(filled + block, filled > kLargest ? 2 * filled : 0);
    require_memory(to_int64(wanted), "the text");
    buffer_.reserve(wanted);
  }
  buffer_.resize(filled + block);
  buffer_.resize(filled + read_(std::span(buffer_).subspan(filled)));
  ended_ = buffer_.size() == filled;
  if (ended_) return false;
  const std::size_t from = std::min(needed - std::min(needed, kHistory), kept_);
  if (from > offset_) {
    const auto stop = buffer_.begin() + static_cast<std::ptrdiff_t>(from - offset_);
    line_breaks_ += std::count(buffer_.begin(), stop, '\n');
    const auto last = std::find(std::reverse_iterator(stop), buffer_.rend(), '\n');
    if (last != buffer_.rend()) line_begin_ = offset_ + static_cast<std::size_t>(buffer_.rend() - last);
    buffer_.erase(buffer_.begin(), stop);
    offset_ = from;
  }
  return true;
}

void JsonText::own() {
  if (read_) return;
  read_ = [rest = whole_.text, owner = whole_.owner](std::span<char> buffer) mutable {
    const std::size_t bytes = rest.copy(buffer.data(), buffer.size());
    rest.remove_prefix(bytes);
    return bytes;
  };
}

JsonSpan JsonText::share() {
  const auto copy = std::make_shared<const std::vector<char>>(std::move(buffer_));
  return {std::string_view(copy->data(), copy->size()), copy};
}

JsonText::Place JsonText::place(std::size_t offset) const {
  const std::string_view text = window().substr(0, offset - offset_);
  const std::size_t last = text.rfind('\n');
  const std::size_t begin = last == std::string_view::npos ? line_begin_ : offset_ + last + 1;
  return {line_breaks_ + std::count(text.begin(), text.end(), '\n') + 1, offset + 1 - begin};
}

void TextCursor::go_to(std::size_t offset) {
  const std::string_view window = text_.window();
  at_ = window.data() + (offset - text_.offset());
  end_ = window.data() + window.size();
}

bool TextCursor::skip_byte_order_mark(const char*& at) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text_.offset() != 0 || peek(at) != static_cast<unsigned char>(kMark[0])) return true;
  for (const char byte : kMark) {
    if (peek(at) != static_cast<unsigned char>(byte)) return false;
    ++at;
  }
  return true;
}

bool TextCursor::extend() {
  const std::size_t offset = offset_of(at_);
  const bool extended = text_.extend(offset);
  go_to(offset);
  return extended;
}

}  // namespace tensorop
