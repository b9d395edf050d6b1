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

llvm::StringRef directiveOf(llvm::StringRef line) {
  line = llvm::StringRef(withoutByteOrderMark(line)).trim(" \t\r");
  return line.consume_front("#") ? line.ltrim(" \t") : llvm::StringRef();
}

} // namespace heddle::transform
