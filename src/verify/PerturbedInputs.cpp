// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/PerturbedInputs.h"

#include "support/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string_view>

namespace heddle::verify {
namespace {

/// Random values of an argument that are tried after those that are known to matter.
constexpr size_t RandomValues = 8;

/// An argument that holds a number.
struct Slot {
  size_t argument;
  std::string before; ///< "--size="
  std::vector<std::string> values;
};

bool isPrime(int64_t n) {
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0)
      return false;
  return n > 1;
}

int64_t primeBelow(int64_t n) {
  while (n > 2 && !isPrime(--n))
    ;
  return n;
}

/// std::uniform_int_distribution is another one with every standard library; a seed shall mean one thing.
uint64_t below(std::mt19937_64 &random, uint64_t bound) { return random() % bound; }

std::vector<std::string> integerValues(int64_t given, std::mt19937_64 &random) {
  if (given == 0 || given == 1)
    return {given ? "0" : "1", "2"};
  const int64_t size = given < 0 ? -given : given;
  std::vector<int64_t> sizes = {size - 1, size + 1, size / 2, (size / 2) | 1, 1, 2, 3, 31, 33};
  // Far above any size of a test the search for a prime would take longer than the run.
  constexpr int64_t LargestSearched = int64_t(1) << 40;
  if (size < LargestSearched)
    sizes.insert(sizes.begin() + 4, primeBelow(size));
  for (size_t i = 0; i < RandomValues; ++i)
    sizes.push_back(1 + int64_t(below(random, uint64_t(size))));
  std::vector<std::string> values;
  for (int64_t each : sizes)
    if (each > 0 && each <= size + 1 && each != size)
      values.push_back(std::to_string(given < 0 ? -each : each));
  return values;
}

std::vector<std::string> realValues(double given, std::mt19937_64 &random) {
  std::vector<std::string> values;
  std::vector<double> factors = {0.5, 1.5, 0.9, 2};
  for (size_t i = 0; i < RandomValues; ++i)
    factors.push_back(0.5 + double(below(random, 1000)) / 1000);
  for (double factor : factors)
    values.push_back(fmt::format("{}", given * factor));
  if (given == 0)
    values = {"1", "0.5"};
  return values;
}

std::vector<Slot> slotsOf(const std::vector<std::string> &arguments, std::mt19937_64 &random) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    const size_t begin = equals == std::string::npos ? 0 : equals + 1;
    const std::string_view text = std::string_view(arguments[i]).substr(begin);
    Slot slot{i, arguments[i].substr(0, begin), {}};
    if (std::optional<int64_t> whole = readNumber<int64_t>(text))
      slot.values = integerValues(*whole, random);
    else if (std::optional<double> real = readNumber<double>(text); real && *real - *real == 0)
      slot.values = realValues(*real, random);
    if (!slot.values.empty())
      slots.push_back(std::move(slot));
  }
  return slots;
}

} // namespace

std::vector<std::vector<std::string>> perturbedInputs(const std::vector<std::string> &arguments,
                                                      uint64_t seed, size_t most) {
  std::mt19937_64 random(seed);
  const std::vector<Slot> slots = slotsOf(arguments, random);
  std::vector<std::vector<std::string>> inputs;
  std::set<std::vector<std::string>> known = {arguments};
  auto add = [&](const std::vector<std::string> &input) {
    if (inputs.size() < most && known.insert(input).second)
      inputs.push_back(input);
  };
  size_t ranks = 0;
  for (const Slot &slot : slots)
    ranks = std::max(ranks, slot.values.size());
  for (size_t rank = 0; rank < ranks; ++rank) {
    for (const Slot &slot : slots)
      if (rank < slot.values.size()) {
        std::vector<std::string> input = arguments;
        input[slot.argument] = slot.before + slot.values[rank];
        add(input);
      }
    if (slots.size() < 2)
      continue;
    std::vector<std::string> input = arguments;
    for (const Slot &slot : slots)
      input[slot.argument] = slot.before + slot.values[below(random, slot.values.size())];
    add(input);
  }
  return inputs;
}

} // namespace heddle::verify
