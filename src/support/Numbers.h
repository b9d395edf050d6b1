// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace heddle {

/// The number that the whole text is, in decimal: "12" and "-3", but neither "12a", " 12", "+12", "" nor one that
/// does not fit into T.
template <class T> std::optional<T> readNumber(std::string_view text) {
  T value{};
  const char *end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end ? std::optional(value) : std::nullopt;
}

/// A duration in seconds: "90", "90s", "1.5m" and "1h" are times; "-1", "s" and "1d" are none.
inline std::optional<double> readSeconds(std::string_view text) {
  double factor = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    factor = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
    text.remove_suffix(1);
  }
  const std::optional<double> number = readNumber<double>(text);
  return number && std::isfinite(*number) && *number >= 0 ? std::optional(*number * factor) : std::nullopt;
}

/// "16,16,2": numbers with commas between them, at least one.
template <class T> std::optional<std::vector<T>> readNumbers(std::string_view text) {
  std::vector<T> all;
  for (;;) {
    const size_t comma = text.find(',');
    const std::optional<T> next = readNumber<T>(text.substr(0, comma));
    if (!next)
      return std::nullopt;
    all.push_back(*next);
    if (comma == std::string_view::npos)
      return all;
    text.remove_prefix(comma + 1);
  }
}

} // namespace heddle
