// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/FloatText.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace heddle::kernels {
namespace {

const std::map<std::string_view, std::string_view> words = {
    {"double", "float"}, {"double2", "float2"}, {"fma", "fmaf"},
    {"fmax", "fmaxf"},   {"sqrt", "sqrtf"},     {"__builtin_sqrt", "__builtin_sqrtf"}};

bool isWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// How long the comment or string is that begins here; nothing where none does.
size_t lengthOfUntouched(std::string_view rest) {
  if (rest.starts_with("//"))
    return std::min(rest.find('\n'), rest.size());
  if (rest.starts_with("#include"))
    return std::min(rest.find('\n'), rest.size());
  if (rest.front() != '"')
    return 0;
  const size_t end = rest.find('"', 1);
  return end == std::string_view::npos ? rest.size() : end + 1;
}

std::string spelled(const std::string &number) {
  if (number.find_first_of(".e") == std::string::npos || number.starts_with("0x"))
    return number; // a whole number
  const double value = std::stod(number);
  if (std::abs(value) > double(std::numeric_limits<float>::max()))
    throw std::logic_error(number + " does not fit a float");
  const float least = std::numeric_limits<float>::min();
  const float narrow =
      value != 0 && std::abs(value) < double(least) ? std::copysign(least, float(value)) : float(value);
  std::string text = fmt::format("{}", narrow);
  return (text.find_first_of(".e") == std::string::npos ? text + ".0" : text) + "f";
}

} // namespace

std::string inFloats(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const size_t length = lengthOfUntouched(rest)) {
      out += rest.substr(0, length);
      at += length;
      continue;
    }
    size_t end = 0;
    if (std::isdigit(static_cast<unsigned char>(rest[0]))) {
      while (end < rest.size() &&
             (isWordLetter(rest[end]) || rest[end] == '.' ||
              ((rest[end] == '-' || rest[end] == '+') && rest[end - 1] == 'e' && !rest.starts_with("0x"))))
        ++end;
      out += spelled(std::string(rest.substr(0, end)));
    } else if (isWordLetter(rest[0])) {
      while (end < rest.size() && isWordLetter(rest[end]))
        ++end;
      const auto found = words.find(rest.substr(0, end));
      out += found == words.end() ? rest.substr(0, end) : found->second;
    } else {
      out += rest[end++];
    }
    at += end;
  }
  return out;
}

} // namespace heddle::kernels
