// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a person names a kernel: the rule of -k for every verb. Also part of the library that is preloaded into programs to capture
// launches, which is C++17.
#pragma once

#include <string>

namespace heddle {

/// Whether a kernel is meant by `pattern`: its mangled name, its demangled name with or without the parameter list, with
/// or without template arguments, with or without namespaces; spaces between symbols do not count. An empty pattern means every kernel.
bool isMeant(const std::string &mangled, const std::string &pattern);

} // namespace heddle
