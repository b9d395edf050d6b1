// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::capture {

/// "saxpy(int, float*)" of "_Z5saxpyiPf"; a name that is not mangled is not changed.
std::string demangledName(const std::string &mangled);

/// Whether a kernel is meant by `pattern`: its mangled name, its demangled name with or without the parameter list, with
/// or without template arguments, with or without namespaces. An empty pattern means every kernel.
bool isMeant(const std::string &mangled, const std::string &pattern);

} // namespace heddle::capture
