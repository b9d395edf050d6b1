// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::trace {

/// The text as a string of JSON, for the files that preloaded libraries write. Control characters become spaces.
inline std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char letter : text)
    if (letter == '"' || letter == '\\')
      out += {'\\', letter};
    else
      out += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  return out + '"';
}

} // namespace heddle::trace
