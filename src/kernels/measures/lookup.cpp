#include "kernels/measures/lookup.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "base/checked.hpp"
#include "base/files/advice.hpp"
#include "base/system/system.hpp"
#include "kernels/range.hpp"

namespace tensorop {
namespace {

// Number of elements that are hashed before the first of them is looked up: by then their slots of the table
// are being fetched from memory.
constexpr std::int64_t kLookupBlock = 128;
// Number of elements that a thread looks up at a time.
constexpr std::int64_t kLookupRange = 1 << 16;

struct LookupSeed {
  std::uint64_t first;
  std::uint64_t second;
};

LookupSeed random_lookup_seed() {
  return {random_bits(), random_bits() | 1};
}

__extension__ using Product = unsigned __int128;

std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Product>(a) * b >> 64);
}
// Combines both halves of a product: each bit of the factors affects the whole result.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

std::uint64_t hash_of(std::uint64_t word, const LookupSeed& seed) {
  return mix(mix(word ^ seed.first, seed.second) ^ seed.first, seed.second);
}

std::uint64_t hash_of(std::string_view text, const LookupSeed& seed) {
  std::uint64_t hash = hash_of(text.size(), seed);
  for (std::size_t at = 0; at < text.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    hash = hash_of(hash ^ word, seed);
  }
  return hash;
}

// The elements of one side as words. Integers of equal value have the same word, whatever their dtypes; the
// word of a string is its hash.
class LookupSide {
 public:
  // `other` is the dtype of the other side.
  LookupSide(const Tensor& tensor, DType other, const LookupSeed& seed)
      : tensor_(tensor),
        seed_(seed),
        // Values of at least 2^63 in uint64 and below 0 in other dtypes have the same words but never match.
        unmatched_((tensor.dtype() == DType::uint64) != (other == DType::uint64) ? std::uint64_t{1} << 63
                                                                                 : 0) {}

  [[nodiscard]] const LookupSeed& seed() const { return seed_; }
  [[nodiscard]] std::int64_t size() const { return tensor_.size(); }
  [[nodiscard]] std::int64_t element_bytes() const { return element_size(tensor_.dtype()); }
  [[nodiscard]] bool is_text() const { return tensor_.dtype() == DType::string; }
  [[nodiscard]] std::string_view text(std::int64_t i) const { return tensor_.as<StringRef>()[i].view(); }
  // Whether no element of the other side has this word.
  [[nodiscard]] bool is_unmatched(std::uint64_t word) const { return (word & unmatched_) != 0; }

  // Computes the words of elements [first, first + count).
  void read(std::int64_t first, std::int64_t count, std::uint64_t* words) const {
    dispatch(tensor_.dtype(), [&]<class T>(TypeTag<T>) {
      const auto elements = tensor_.as<T>() + first;
      for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (std::integral<T>) {
          words[i] = static_cast<std::uint64_t>(elements[i]);
        } else if constexpr (SmallInteger<T>) {
          words[i] = static_cast<std::uint64_t>(to_integer(elements[i]));
        } else if constexpr (std::is_same_v<T, StringRef>) {
          words[i] = hash_of(elements[i].view(), seed_);
        }
      }
    });
  }

 private:
  const Tensor& tensor_;
  LookupSeed seed_;
  std::uint64_t unmatched_;
};

// A hash table of a part of one side. Each distinct value has one entry: the number of one of its elements.
class LookupTable {
 public:
  // Bytes of the table for each element of the part.
  static constexpr std::int64_t kElementBytes = 32;

  LookupTable(const LookupSide& side, Range part)
      : side_(side),
        part_(part),
        // Half of the slots stay empty, so that searches are short.
        capacity_(2 * static_cast<std::uint64_t>(part.count) + 1),
        slots_(to_int64(capacity_ * sizeof(std::uint64_t)), "a table of ids"),
        entries_(part.count * to_int64(sizeof(Entry)), "a table of ids") {
    prefer_large_pages(slots_.data(), to_int64(capacity_ * sizeof(std::uint64_t)));
    prefer_large_pages(entries_.data(), part.count * to_int64(sizeof(Entry)));
  }

  // Fills the table and calls visit(i, entry) once for each element i of the part. Entry -1: nothing can be
  // equal to the element. The element that becomes the entry of its value depends on the threads.
  template <class Visit>
  void fill(const Threads& threads, const Visit& visit) {
    for_each_block(side_, part_, threads, [&](std::int64_t first, std::int64_t count, const auto& block) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = first + i - part_.first;
        visit(at, side_.is_unmatched(block.words[i])
                      ? -1
                      : insert(at, block.words[i], block.hashes[i], block.places[i]));
      }
    });
  }

  // Calls visit(i, entry) for each element i of the other side, in ranges of ascending order. Entry -1: the
  // part has no equal element.
  template <class Visit>
  void find_all(const LookupSide& others, const Threads& threads, const Visit& visit) const {
    for_each_block(others, {0, others.size()}, threads,
                   [&](std::int64_t first, std::int64_t count, auto& block) {
                     std::int64_t found[kLookupBlock];
                     // The entries are prefetched too, before the first of them is compared.
                     for (std::int64_t i = 0; i < count; ++i) {
                       const bool is_unmatched = others.is_unmatched(block.words[i]);
                       found[i] = is_unmatched ? -1 : next_entry(block.hashes[i], block.places[i]);
                       if (found[i] >= 0) __builtin_prefetch(entries() + found[i]);
                     }
                     for (std::int64_t i = 0; i < count; ++i) {
                       std::int64_t entry = found[i];
                       while (entry >= 0 && !is_same(entry, block.words[i], others, first + i)) {
                         entry = next_entry(block.hashes[i], block.places[i]);
                       }
                       visit(first + i, entry);
                     }
                   });
  }

  // Records that the value of an entry is at `position` among the keys. Any thread, any order.
  void note(std::int64_t entry, std::int64_t position) {
    const std::atomic_ref found(entries()[entry].found);
    const std::uint64_t mine = (static_cast<std::uint64_t>(position) + 1) << 1;
    for (std::uint64_t now = found.load(std::memory_order_relaxed);;) {
      const std::uint64_t then = now == 0 ? mine : std::min(now & ~kTwice, mine) | kTwice;
      if (then == now || found.compare_exchange_weak(now, then, std::memory_order_relaxed)) return;
    }
  }

  // The lowest recorded position of an entry; rules.none if there is none, and for entry -1. `id` is the
  // element to report in a LookupFault.
  [[nodiscard]] std::int64_t position(std::int64_t entry, std::int64_t id, const LookupRules& rules) const {
    const std::uint64_t found = entry < 0 ? 0 : entries()[entry].found;
    if (found == 0 && rules.missing) throw LookupFault(id, true);
    if ((found & kTwice) != 0 && rules.duplicates) throw LookupFault(id, false);
    return found == 0 ? rules.none : static_cast<std::int64_t>(found >> 1) - 1;
  }

 private:
  // A slot holds the number of an entry plus one, and above it bits of the hash; 0: the slot is empty.
  static constexpr int kEntryBits = 40;
  static constexpr std::uint64_t kEntryMask = (std::uint64_t{1} << kEntryBits) - 1;
  static constexpr std::uint64_t kTwice = 1;

  struct Entry {
    std::uint64_t word;
    std::uint64_t found;  // 0, or (lowest position + 1) << 1; the lowest bit says whether there are more
  };
  static_assert(sizeof(Entry) + 2 * sizeof(std::uint64_t) == kElementBytes);

  struct Block {
    std::uint64_t words[kLookupBlock];
    std::uint64_t hashes[kLookupBlock];
    std::uint64_t places[kLookupBlock];  // slots where a search begins
  };

  [[nodiscard]] std::uint64_t* slots() { return reinterpret_cast<std::uint64_t*>(slots_.data()); }
  [[nodiscard]] const std::uint64_t* slots() const {
    return reinterpret_cast<const std::uint64_t*>(slots_.data());
  }
  [[nodiscard]] Entry* entries() { return reinterpret_cast<Entry*>(entries_.data()); }
  [[nodiscard]] const Entry* entries() const { return reinterpret_cast<const Entry*>(entries_.data()); }

  template <class Work>
  void for_each_block(const LookupSide& side, Range range, const Threads& threads, const Work& work) const {
    for_each_range(range, kLookupRange, threads, [&](Range some, int /*worker*/) {
      Block block;
      for (std::int64_t at = some.first; at < some.end(); at += kLookupBlock) {
        const std::int64_t count = std::min(kLookupBlock, some.end() - at);
        side.read(at, count, block.words);
        for (std::int64_t i = 0; i < count; ++i) {
          block.hashes[i] = side.is_text() ? block.words[i] : hash_of(block.words[i], side.seed());
          block.places[i] = high_product(block.hashes[i], capacity_);
          __builtin_prefetch(slots() + block.places[i]);
        }
        work(at, count, block);
      }
      threads.advance(some.count * side.element_bytes());
    });
  }

  [[nodiscard]] bool is_same(std::int64_t entry, std::uint64_t word, const LookupSide& other,
                             std::int64_t i) const {
    if (side_.is_text()) return side_.text(part_.first + entry) == other.text(i);
    return entries()[entry].word == word;
  }

  std::int64_t insert(std::int64_t entry, std::uint64_t word, std::uint64_t hash, std::uint64_t place) {
    const std::uint64_t tag = hash << kEntryBits;
    const std::uint64_t mine = tag | (static_cast<std::uint64_t>(entry) + 1);
    entries()[entry].word = word;
    for (;; place = place + 1 == capacity_ ? 0 : place + 1) {
      const std::atomic_ref slot(slots()[place]);
      std::uint64_t there = slot.load(std::memory_order_acquire);
      if (there == 0 && slot.compare_exchange_strong(there, mine, std::memory_order_acq_rel)) return entry;
      const auto other = static_cast<std::int64_t>((there & kEntryMask) - 1);
      if ((there ^ tag) >> kEntryBits == 0 && is_same(other, word, side_, part_.first + entry)) return other;
    }
  }

  // Returns the next entry whose slot has the bits of the hash, from slot `place` on; -1 if an empty slot
  // comes first. Sets `place` to the slot after it.
  [[nodiscard]] std::int64_t next_entry(std::uint64_t hash, std::uint64_t& place) const {
    const std::uint64_t tag = hash << kEntryBits;
    for (;;) {
      const std::uint64_t there = slots()[place];
      place = place + 1 == capacity_ ? 0 : place + 1;
      if (there == 0) return -1;
      if ((there ^ tag) >> kEntryBits == 0) return static_cast<std::int64_t>((there & kEntryMask) - 1);
    }
  }

  const LookupSide& side_;
  Range part_;
  std::uint64_t capacity_;
  Storage slots_;
  Storage entries_;
};

// Puts the keys into the table and looks up all ids.
void find_in_keys(const LookupSide& keys, const LookupSide& ids, const LookupRules& rules,
                  const Threads& threads, std::int64_t* out) {
  LookupTable table(keys, {0, keys.size()});
  table.fill(threads, [&](std::int64_t key, std::int64_t entry) {
    if (entry >= 0) table.note(entry, key);
  });
  table.find_all(ids, threads,
                 [&](std::int64_t id, std::int64_t entry) { out[id] = table.position(entry, id, rules); });
}

// Puts a part of the ids into the table and looks up all keys.
void find_in_ids(const LookupSide& keys, const LookupSide& ids, Range part, const LookupRules& rules,
                 const Threads& threads, std::int64_t* out) {
  LookupTable table(ids, part);
  table.fill(threads, [&](std::int64_t id, std::int64_t entry) { out[part.first + id] = entry; });
  table.find_all(keys, threads, [&](std::int64_t key, std::int64_t entry) {
    if (entry >= 0) table.note(entry, key);
  });
  for_each_range(part, kLookupRange, threads, [&](Range some, int /*worker*/) {
    for (std::int64_t id = some.first; id < some.end(); ++id) out[id] = table.position(out[id], id, rules);
  });
}

// Finds the lowest two positions of an id's key.
void find_duplicates(const Tensor& keys, const LookupSide& ids, LookupFault& fault) {
  std::uint64_t wanted = 0;
  ids.read(fault.position, 1, &wanted);
  const LookupSide side(keys, keys.dtype(), ids.seed());
  std::uint64_t words[kLookupBlock];
  for (std::int64_t at = 0; at < keys.size() && fault.second < 0; at += kLookupBlock) {
    const std::int64_t count = std::min(kLookupBlock, keys.size() - at);
    side.read(at, count, words);
    for (std::int64_t i = 0; i < count && fault.second < 0; ++i) {
      if (words[i] != wanted) continue;
      if (side.is_text() && side.text(at + i) != ids.text(fault.position)) continue;
      (fault.first < 0 ? fault.first : fault.second) = at + i;
    }
  }
}

}  // namespace

Tensor find_positions(const Tensor& keys, const Tensor& ids, const LookupRules& rules, std::int64_t memory,
                      const Threads& threads) {
  // The smallest number of ids in a part: the keys are read once for each part.
  constexpr std::int64_t kMinPart = 1024;
  const LookupSeed seed = random_lookup_seed();
  const LookupSide key_side(keys, ids.dtype(), seed);
  const LookupSide id_side(ids, keys.dtype(), seed);
  const auto storage = std::make_shared<Storage>(ids.size() * element_size(DType::int64), "the positions");
  auto* const out = reinterpret_cast<std::int64_t*>(storage->data());
  const std::int64_t most = std::max(kMinPart, memory / LookupTable::kElementBytes);
  try {
    if (keys.size() <= std::min(most, ids.size())) {
      threads.expect(keys.bytes() + ids.bytes());
      find_in_keys(key_side, id_side, rules, threads, out);
    } else if (ids.size() != 0) {
      const std::int64_t parts = ceil_div(ids.size(), most);
      const std::int64_t size = ceil_div(ids.size(), parts);
      threads.expect(ids.bytes() + parts * keys.bytes());
      for (std::int64_t first = 0; first < ids.size(); first += size) {
        const Range part = {first, std::min(size, ids.size() - first)};
        find_in_ids(key_side, id_side, part, rules, threads, out);
      }
    }
  } catch (LookupFault& fault) {
    if (!fault.is_missing) find_duplicates(keys, id_side, fault);
    throw;
  }
  return {DType::int64, ids.shape(), storage};
}

}  // namespace tensorop
