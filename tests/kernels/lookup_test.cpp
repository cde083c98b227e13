// Positions of ids among keys, against a search by the text of each element.
#include "kernels/measures/lookup.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "io/json/json_writer.hpp"
#include "support/catch.hpp"
#include "support/random_case.hpp"
#include "support/tensors.hpp"

namespace tensorop::kernels_lookup_test {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 30;
constexpr LookupRules kRefuseAll = {.missing = true, .duplicates = true};
constexpr LookupRules kAllowAll = {.missing = false, .duplicates = false};

struct Outcome {
  std::vector<std::int64_t> positions = {};
  std::optional<std::int64_t> fault = {};  // the position of the id
  bool is_missing = false;
  std::int64_t first = -1;
  std::int64_t second = -1;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Integers of one value have one text, whatever their dtypes.
std::vector<std::string> texts_of(const Tensor& tensor) {
  std::vector<std::string> out(to_size(tensor.size()));
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    out[to_size(i)] = json_element(tensor, i);
  }
  return out;
}

Outcome find_naively(const Tensor& keys, const Tensor& ids, const LookupRules& rules) {
  std::map<std::string, std::vector<std::int64_t>> places;
  const std::vector<std::string> texts = texts_of(keys);
  for (std::size_t i = 0; i < texts.size(); ++i) places[texts[i]].push_back(to_int64(i));
  Outcome out;
  for (const std::string& id : texts_of(ids)) {
    const auto found = places.find(id);
    const bool is_missing = found == places.end();
    if (is_missing ? rules.missing : rules.duplicates && found->second.size() > 1) {
      out.fault = to_int64(out.positions.size());
      out.is_missing = is_missing;
      if (!is_missing) {
        out.first = found->second[0];
        out.second = found->second[1];
      }
      out.positions.clear();
      return out;
    }
    out.positions.push_back(is_missing ? -1 : found->second[0]);
  }
  return out;
}

Outcome find(const Tensor& keys, const Tensor& ids, const LookupRules& rules, std::int64_t memory,
             int threads) {
  Outcome out;
  try {
    const Tensor found = find_positions(keys, ids, rules, memory, Threads(threads));
    CHECK(found.dtype() == DType::int64);
    CHECK(found.shape() == ids.shape());
    for (std::int64_t i = 0; i < found.size(); ++i) out.positions.push_back(found.as<std::int64_t>()[i]);
  } catch (const LookupFault& fault) {
    out.fault = fault.position;
    out.is_missing = fault.is_missing;
    out.first = fault.first;
    out.second = fault.second;
  }
  return out;
}

void check_all_ways(const Tensor& keys, const Tensor& ids) {
  for (const LookupRules& rules :
       {kRefuseAll, kAllowAll, LookupRules{.missing = false}, LookupRules{.duplicates = false}}) {
    CAPTURE(rules.missing, rules.duplicates);
    const Outcome expected = find_naively(keys, ids, rules);
    for (const int threads : {1, 3}) {
      for (const std::int64_t memory : {std::int64_t{1}, kNoLimit}) {
        CAPTURE(threads, memory);
        // Without CHECK's text of thousands of numbers.
        const bool same = find(keys, ids, rules, memory, threads) == expected;
        CHECK(same);
      }
    }
  }
}

template <class T>
Tensor line(DType dtype, const std::vector<T>& values) {
  return tensor_of(dtype, {to_int64(values.size())}, values);
}

Tensor random_side(Random& random, DType dtype, const Shape& shape) {
  return random.chance(50) ? random_tensor(random, dtype, shape, ValueKind::small)
                           : random_tensor(random, dtype, shape);
}

}  // namespace

TEST_CASE("ids of every dtype are found among keys of every dtype", "[kernels][random]") {
  const std::uint64_t seed = random_seed();
  constexpr DTypeSet kIntegers = kIntegerTypes | kSmallIntegerTypes;
  for (std::uint64_t number = 0; number < 300; ++number) {
    CAPTURE(seed, number);
    Random random(seed, number);
    const bool is_text = random.chance(15);
    const DType keys = is_text ? DType::string : random_dtype(random, kIntegers);
    const DType ids = is_text ? DType::string : random_dtype(random, kIntegers);
    CAPTURE(keys, ids);
    const Shape shape = random_shape(random, random.between(0, 3));
    check_all_ways(random_side(random, keys, {random.between(0, 40)}), random_side(random, ids, shape));
  }
}

TEST_CASE("integers are equal by value, not by their bits", "[kernels]") {
  const Tensor negative = line<std::int64_t>(DType::int64, {-1, -9223372036854775807 - 1, 255});
  const Tensor large = line<std::uint64_t>(DType::uint64, {18446744073709551615U, 9223372036854775808U, 255});
  const Outcome expected = {.positions = {-1, -1, 2}};
  for (const std::int64_t memory : {std::int64_t{1}, kNoLimit}) {
    CHECK(find(negative, large, kAllowAll, memory, 1) == expected);
    CHECK(find(large, negative, kAllowAll, memory, 1) == expected);
    CHECK(find(line<std::int8_t>(DType::int8, {-1}), large, kAllowAll, memory, 1).positions ==
          std::vector<std::int64_t>{-1, -1, -1});
    CHECK(find(line<std::int8_t>(DType::int8, {-1}), negative, kAllowAll, memory, 1).positions ==
          std::vector<std::int64_t>{0, -1, -1});
    CHECK(find(large, large, kRefuseAll, memory, 1).positions == std::vector<std::int64_t>{0, 1, 2});
  }
}

TEST_CASE("many ids among many keys: every range, every part, every number of threads",
          "[release][kernels][random]") {
  const std::uint64_t seed = random_seed();
  CAPTURE(seed);
  Random random(seed);
  // More than a range of a thread, also of the ids; few and many duplicates.
  for (const auto& [keys, ids, most] : std::vector<std::array<std::int64_t, 3>>{
           {150'000, 70'000, 1'000'000'000}, {70'000, 150'000, 100'000}, {150'000, 5'000, 3}}) {
    CAPTURE(keys, ids, most);
    std::vector<std::int64_t> key_values;
    std::vector<std::int32_t> id_values;
    for (std::int64_t i = 0; i < keys; ++i) key_values.push_back(random.between(0, most));
    for (std::int64_t i = 0; i < ids; ++i) {
      id_values.push_back(
          static_cast<std::int32_t>(random.chance(50) ? random.pick(key_values) : random.between(0, most)));
    }
    const Tensor key_side = line(DType::int64, key_values);
    const Tensor id_side = line(DType::int32, id_values);
    const Outcome expected = find_naively(key_side, id_side, kAllowAll);
    for (const int threads : {1, 4}) {
      // Parts of the smallest size are read for so often that few keys must do.
      for (const std::int64_t memory : {std::int64_t{32} * 20'000, kNoLimit}) {
        CAPTURE(threads, memory);
        const bool same = find(key_side, id_side, kAllowAll, memory, threads) == expected;
        CHECK(same);
      }
    }
    CHECK(find(key_side, id_side, kRefuseAll, kNoLimit, 4) == find_naively(key_side, id_side, kRefuseAll));
  }
}

TEST_CASE("values in a pattern do not collide", "[kernels]") {
  constexpr std::int64_t kCount = 100'000;
  for (const int shift : {0, 1, 20, 32, 46}) {
    CAPTURE(shift);
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < kCount; ++i) {
      keys.push_back(i << shift);
      ids.push_back((kCount - 1 - i) << shift);
      expected.push_back(kCount - 1 - i);
    }
    // Thousands of times slower if they did.
    const bool same =
        find(line(DType::int64, keys), line(DType::int64, ids), kRefuseAll, kNoLimit, 2).positions ==
        expected;
    CHECK(same);
  }
}

TEST_CASE("no keys and no ids", "[kernels]") {
  const Tensor none(DType::int64, {0});
  const Tensor one = line<std::int64_t>(DType::int64, {7});
  CHECK(find(none, none, kRefuseAll, 1, 1) == Outcome());
  CHECK(find(one, none, kRefuseAll, 1, 1) == Outcome());
  CHECK(find(none, one, kAllowAll, 1, 1).positions == std::vector<std::int64_t>{-1});
  CHECK(find(none, one, kRefuseAll, 1, 1) == Outcome{.fault = 0, .is_missing = true});
}

TEST_CASE("a duplicated key is a fault only of an id that asks for it", "[kernels]") {
  const Tensor keys = line<std::int32_t>(DType::int32, {5, 3, 5, 3, 3, 8});
  const auto find_ids = [&](const std::vector<std::int32_t>& ids) {
    return find(keys, line(DType::int32, ids), kRefuseAll, kNoLimit, 1);
  };
  CHECK(find_ids({8, 8}).positions == std::vector<std::int64_t>{5, 5});
  CHECK(find_ids({8, 3, 5}) == Outcome{.fault = 1, .first = 1, .second = 3});
  CHECK(find_ids({8, 3, 9}) == Outcome{.fault = 1, .first = 1, .second = 3});
  CHECK(find_ids({9, 3}) == Outcome{.fault = 0, .is_missing = true});
}

}  // namespace tensorop::kernels_lookup_test
