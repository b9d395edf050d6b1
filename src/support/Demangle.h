// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// "blockSum(int const*, int*)" of "_Z8blockSumPKiPi"; a name that is not mangled is not changed. Unnamed namespaces are
/// left out.
std::string demangled(const std::string &name);

/// Whether mangled names are of one function. Clang and nvcc mangle internal linkage differently: a static kernel is `_ZL1kPf` and
/// `_Z1kPf`, and the unnamed namespace of nvcc has the name of the file.
bool isSameFunction(const std::string &mangled, const std::string &other);

/// "blockSum" of "_Z8blockSumPKiPi": without the parameter list and the result type; template arguments stay.
std::string functionName(const std::string &mangled);

} // namespace heddle
