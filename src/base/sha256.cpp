#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text/text.hpp"

#ifdef __x86_64__
#include <immintrin.h>

#include "base/system/processor.hpp"
#endif

namespace tensorop {
namespace {

constexpr std::size_t kSha256Block = 64;

alignas(16) constexpr std::uint32_t kSha256Rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Sha256State = std::array<std::uint32_t, 8>;

void add_blocks(Sha256State& state, const std::byte* bytes, std::size_t blocks) {
  for (; blocks > 0; --blocks, bytes += kSha256Block) {
    std::uint32_t words[64];
    for (std::size_t i = 0; i < 16; ++i) {
      words[i] = 0;
      for (std::size_t j = 0; j < 4; ++j)
        words[i] = words[i] << 8 | std::to_integer<std::uint32_t>(bytes[4 * i + j]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = words[i - 15];
      const std::uint32_t b = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
                 (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    Sha256State s = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t first = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + kSha256Rounds[i] + words[i];
      const std::uint32_t second = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < s.size(); ++i) state[i] += s[i];
  }
}

#ifdef __x86_64__
// Adds blocks with the SHA instructions, five times as fast. Their two registers hold the state as ABEF and
// CDGH.
[[gnu::target("sha,sse4.1")]] void add_blocks_by_instructions(Sha256State& state, const std::byte* bytes,
                                                              std::size_t blocks) {
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i dcba = _mm_shuffle_epi32(load(&state[0]), 0xB1);
  __m128i cdgh = _mm_shuffle_epi32(load(&state[4]), 0x1B);
  __m128i abef = _mm_alignr_epi8(dcba, cdgh, 8);
  cdgh = _mm_blend_epi16(cdgh, dcba, 0xF0);
  for (; blocks > 0; --blocks, bytes += kSha256Block) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i words[4];
    for (std::size_t i = 0; i < 4; ++i) words[i] = _mm_shuffle_epi8(load(bytes + 16 * i), swap);
    for (std::size_t i = 0; i < 16; ++i) {  // four rounds each
      __m128i& now = words[i % 4];
      if (i >= 4) {
        const __m128i last = words[(i + 3) % 4];
        now = _mm_sha256msg1_epu32(now, words[(i + 1) % 4]);
        now = _mm_add_epi32(now, _mm_alignr_epi8(last, words[(i + 2) % 4], 4));
        now = _mm_sha256msg2_epu32(now, last);
      }
      const __m128i sum = _mm_add_epi32(now, load(kSha256Rounds + 4 * i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  dcba = _mm_shuffle_epi32(abef, 0x1B);
  cdgh = _mm_shuffle_epi32(cdgh, 0xB1);
  const __m128i low = _mm_blend_epi16(dcba, cdgh, 0xF0);
  const __m128i high = _mm_alignr_epi8(cdgh, dcba, 8);
  std::memcpy(&state[0], &low, sizeof low);
  std::memcpy(&state[4], &high, sizeof high);
}
#endif

}  // namespace

void Sha256::add(const std::byte* bytes, std::size_t blocks) {
#ifdef __x86_64__
  static const bool has_instructions = has_sha256();
  if (has_instructions && !is_baseline_) return add_blocks_by_instructions(state_, bytes, blocks);
#endif
  add_blocks(state_, bytes, blocks);
}

void Sha256::update(std::span<const std::byte> bytes) {
  const std::size_t begun = size_ % kBlock;
  size_ += bytes.size();
  if (begun != 0) {
    const std::size_t part = std::min(kBlock - begun, bytes.size());
    std::copy_n(bytes.begin(), part, begun_.begin() + static_cast<std::ptrdiff_t>(begun));
    bytes = bytes.subspan(part);
    if (begun + part < kBlock) return;
    add(begun_.data(), 1);
  }
  add(bytes.data(), bytes.size() / kBlock);
  const auto rest = bytes.last(bytes.size() % kBlock);
  std::copy(rest.begin(), rest.end(), begun_.begin());
}

std::string Sha256::finish() {
  const std::uint64_t bits = size_ * 8;
  std::array<std::byte, kBlock + 8> end{std::byte{0x80}};
  const std::size_t padding = (2 * kBlock - 9 - size_ % kBlock) % kBlock + 1;
  for (std::size_t i = 0; i < 8; ++i) end[padding + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(std::span(end).first(padding + 8));
  std::string out;
  for (const std::uint32_t word : state_) out += hex(word, 8);
  return out;
}

}  // namespace tensorop
