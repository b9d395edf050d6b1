// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::bench {
namespace {

template <class T> std::vector<double> numbers(const std::vector<uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

std::vector<double> numbersOf(Element element, const std::vector<uint8_t> &bytes) {
  switch (element) {
  case Element::Byte: return numbers<uint8_t>(bytes);
  case Element::Word: return numbers<uint32_t>(bytes);
  case Element::Half: return numbers<Half>(bytes);
  case Element::Float: return numbers<float>(bytes);
  case Element::Double: return numbers<double>(bytes);
  }
  return {};
}

} // namespace

std::string difference(const Argument &argument, const std::vector<uint8_t> &mine,
                       const std::vector<uint8_t> &other) {
  const std::vector<double> a = numbersOf(argument.element, mine), b = numbersOf(argument.element, other);
  double largest = 0;
  for (double each : b)
    largest = std::max(largest, std::abs(each));
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= argument.tolerance * largest)) // NaN differs from everything
      first = wrong++ ? first : i;
  if (double(wrong) <= argument.except * double(a.size()))
    return {};
  return fmt::format("{} of {} elements differ, first [{}]: {} and {}", wrong, a.size(), first, a[first],
                     b[first]);
}

} // namespace heddle::bench
