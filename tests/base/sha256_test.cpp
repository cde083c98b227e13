// SHA-256 against the examples of FIPS 180-4, by both ways of computing it.
#include "base/sha256.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/text/text.hpp"
#include "support/catch.hpp"

namespace tensorop::base_sha256_test {
namespace {

std::string digest(std::string_view text, std::size_t piece, bool is_baseline) {
  Sha256 sha(is_baseline);
  for (; text.size() > piece; text.remove_prefix(piece)) sha.update(text_bytes(text.substr(0, piece)));
  sha.update(text_bytes(text));
  return sha.finish();
}

}  // namespace

TEST_CASE("SHA-256 is as its standard defines it, however the bytes arrive", "[sha256]") {
  struct Row {
    std::string text;
    const char* digest;
  };
  const Row rows[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Row& row : rows) {
    for (const bool is_baseline : {false, true}) {
      for (const std::size_t piece :
           {std::size_t{1} << 20, std::size_t{64}, std::size_t{55}, std::size_t{7}}) {
        CAPTURE(row.text.size(), is_baseline, piece);
        CHECK(digest(row.text, piece, is_baseline) == row.digest);
      }
    }
  }
}

}  // namespace tensorop::base_sha256_test
