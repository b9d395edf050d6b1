// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ParameterValue.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace heddle::check {
namespace {

/// Two's complement; nothing where it has more than `bytes` bytes, as a signed and as an unsigned integer.
std::optional<uint64_t> integerIn(const std::string &text, uint32_t bytes) {
  if (bytes == 1 && (text == "true" || text == "false"))
    return text == "true";
  const bool isNegative = text.starts_with("-");
  const std::string digits = text.substr(isNegative);
  const bool isHex = digits.starts_with("0x") || digits.starts_with("0X");
  const char *begin = digits.data() + (isHex ? 2 : 0), *end = digits.data() + digits.size();
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, isHex ? 16 : 10);
  if (error != std::errc() || stop != end || begin == end || bytes == 0 || bytes > 8)
    return std::nullopt;
  const uint64_t most = ~uint64_t(0) >> (64 - 8 * bytes);
  if (number > (isNegative ? most / 2 + 1 : most))
    return std::nullopt;
  return isNegative ? ~number + 1 : number;
}

std::optional<double> floatIn(const std::string &text, uint32_t bytes) {
  char *after = nullptr;
  const double value = std::strtod(text.c_str(), &after);
  if (text.empty() || *after || std::isspace(static_cast<unsigned char>(text.front())) ||
      (bytes != 4 && bytes != 8))
    return std::nullopt;
  if (bytes == 4 && std::isfinite(value) && !std::isfinite(float(value)))
    return std::nullopt;
  return value;
}

} // namespace

std::string typeText(const ParameterType &type) {
  const char *unit = type.bytes == 1 ? "byte" : "bytes";
  if (ptx::isFloat(type.type))
    return fmt::format("a float of {} {}", type.bytes, unit);
  const ptx::TypeKind kind = ptx::kindOf(type.type);
  if (kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned)
    return fmt::format("an integer of {} {}", type.bytes, unit);
  return fmt::format("which has {} {}", type.bytes, unit);
}

std::vector<uint8_t> bytesOf(const std::string &text, const ParameterType &type) {
  std::vector<uint8_t> out(type.bytes, 0);
  const ptx::TypeKind kind = ptx::kindOf(type.type);
  if (!ptx::isFloat(type.type))
    if (const std::optional<uint64_t> number = integerIn(text, type.bytes)) {
      std::memcpy(out.data(), &*number, type.bytes);
      return out;
    }
  if (kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Unsigned)
    return {};
  const std::optional<double> value = floatIn(text, type.bytes);
  if (!value)
    return {};
  const float narrow = float(*value);
  type.bytes == 4 ? std::memcpy(out.data(), &narrow, 4) : std::memcpy(out.data(), &*value, 8);
  return out;
}

} // namespace heddle::check
