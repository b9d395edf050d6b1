// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
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
