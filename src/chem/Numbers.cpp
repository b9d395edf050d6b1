// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace heddle::chem {
namespace {

constexpr std::string_view numberLetters = "0123456789+-.eEdD";
constexpr std::string_view numberLettersAndComma = "0123456789+-.eEdD,";

/// Fortran's double precision exponent is a D, and a leading plus is fine there.
std::string asCppNumber(std::string_view text) {
  std::string result(text.starts_with('+') ? text.substr(1) : text);
  std::ranges::replace(result, 'D', 'e');
  std::ranges::replace(result, 'd', 'e');
  return result;
}

/// A number too small for a double is as good as 0; one too large is no number for us.
std::optional<double> outOfRange(std::string_view text) {
  size_t exponent = text.find_first_of("eE");
  bool small = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
  return small ? std::optional(0.0) : std::nullopt;
}

} // namespace

std::optional<double> parseNumber(std::string_view text) {
  if (text.empty() || text.find_first_not_of(numberLetters) != std::string_view::npos ||
      text.starts_with("+-") || text.starts_with("++"))
    return std::nullopt;
  std::string number = asCppNumber(text);
  double value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (end != number.data() + number.size() || error == std::errc::invalid_argument)
    return std::nullopt;
  return error == std::errc::result_out_of_range ? outOfRange(number) : value;
}

std::string faultOfNumber(std::string_view text) {
  const std::string_view digits = "0123456789";
  if (parseNumber(text) || text.find_first_not_of(numberLettersAndComma) != std::string_view::npos ||
      text.find_first_of(digits) == std::string_view::npos || text.find_first_of("eEdD") == 0)
    return "";
  const std::string number = asCppNumber(text);
  double value = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool isWhole = end == number.data() + number.size();
  return isWhole && error == std::errc::result_out_of_range
             ? fmt::format("'{}' is too large for a double", text)
             : fmt::format("'{}' is not a number", text);
}

std::string numberHint(std::string_view text) {
  if (text.find(',') != std::string_view::npos) {
    std::string withPoint(text);
    std::ranges::replace(withPoint, ',', '.');
    return parseNumber(withPoint) ? "write '" + withPoint + "'" : "";
  }
  // Fortran reads 1.0+100 as 1.0E+100; here as in most programs a number has its E.
  size_t sign = text.find_last_of("+-");
  if (sign == std::string_view::npos || sign == 0)
    return "";
  std::string withE = std::string(text.substr(0, sign)) + "E" + std::string(text.substr(sign));
  return parseNumber(withE) ? "write '" + withE + "'" : "";
}

std::optional<double> readNumber(const Line &line, const Word &word, std::string_view what,
                                 Diagnostics &diagnostics) {
  std::optional<double> value = parseNumber(word.text);
  if (!value)
    diagnostics
        .error(line.at(word.column, word.text.size()),
               fmt::format("'{}' is no number for {}", word.text, what))
        .withHint(numberHint(word.text));
  return value;
}

} // namespace heddle::chem
