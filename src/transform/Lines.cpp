// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Lines.h"

#include "support/ByteOrderMark.h"

namespace heddle::transform {

std::vector<std::string> splitAt(llvm::StringRef text, char separator) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, separator);
  return {parts.begin(), parts.end()};
}

std::string withLines(std::string_view text,
                      const std::function<std::string(std::string_view line)> &change) {
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    result += change(text.substr(0, end));
    if (end < text.size())
      result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string withLineEndsOf(std::string_view other, std::string text) {
  const auto isBare = [](std::string_view in, size_t end) { return end == 0 || in[end - 1] != '\r'; };
  size_t end = other.find('\n');
  if (end == other.npos)
    return text;
  for (; end != other.npos; end = other.find('\n', end + 1))
    if (isBare(other, end))
      return text;
  std::string changed;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && isBare(text, i))
      changed += '\r';
    changed += text[i];
  }
  return changed;
}

llvm::StringRef directiveOf(llvm::StringRef line) {
  line = llvm::StringRef(withoutByteOrderMark(line)).trim(" \t\r");
  return line.consume_front("#") ? line.ltrim(" \t") : llvm::StringRef();
}

} // namespace heddle::transform
