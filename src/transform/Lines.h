// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text by lines, as far as it is looked at before a compiler has read it.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::transform {

/// What is between the separators; as many parts as those, and one.
std::vector<std::string> splitAt(llvm::StringRef text, char separator);

/// The text with each line as `change` has it.
std::string withLines(std::string_view text, const std::function<std::string(std::string_view line)> &change);

/// The text with the line ends of another one: with CR LF where all lines of that one end so.
std::string withLineEndsOf(std::string_view other, std::string text);

/// The words of a preprocessor line after its #; nothing for any other line.
llvm::StringRef directiveOf(llvm::StringRef line);

} // namespace heddle::transform
