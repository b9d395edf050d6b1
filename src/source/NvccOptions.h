// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::source {

/// nvcc's options in Clang's words: those that only steer code generation, linking or output fall away, what
/// is meant for the host compiler (`-Xcompiler -DX`) is kept where it matters to a parser, and the rest is
/// passed on as it is.
std::vector<std::string> inClangsWords(const std::vector<std::string> &arguments);

} // namespace heddle::source
