// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace heddle {

/// The identifiers of C++ text that a macro of that name would replace: those outside of comments, literals, and the lines of
/// directives other than #define (#if N, #ifdef N, #undef N, #include).
std::set<std::string> namesIn(std::string_view text);

/// The same for a header of runtime/ ("heddle/launch.cuh") with the headers of runtime/ that it includes. Empty where there is none.
const std::set<std::string> &namesInRuntimeHeader(const std::string &name);

/// The name that a line defines as a macro; empty for any other line.
std::string_view macroDefinedIn(std::string_view line);

} // namespace heddle
