// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Utf8.h"

#include <cstdint>

namespace heddle {
namespace {

constexpr std::string_view Replacement = "\xef\xbf\xbd";

/// Bytes of the sequence that begins `text`; 0 where none does (Unicode 16, table 3-7).
size_t sequenceBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0), second = byte(1);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool isOverlong = first == 0xe0 && second < 0xa0, isSurrogate = first == 0xed && second > 0x9f;
    return follows(1) && follows(2) && !isOverlong && !isSurrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool isOverlong = first == 0xf0 && second < 0x90, isTooLarge = first == 0xf4 && second > 0x8f;
    return follows(1) && follows(2) && follows(3) && !isOverlong && !isTooLarge ? 4 : 0;
  }
  return 0;
}

} // namespace

std::string asUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = sequenceBytes(text);
    out += bytes ? text.substr(0, bytes) : Replacement;
    text.remove_prefix(bytes ? bytes : 1);
  }
  return out;
}

} // namespace heddle
