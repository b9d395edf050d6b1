// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// "blockSum(int const*, int*)" of "_Z8blockSumPKiPi"; a name that is not mangled is not changed. Unnamed namespaces are
/// left out.
std::string demangled(const std::string &name);

/// "blockSum" of "_Z8blockSumPKiPi": without the parameter list and the result type; template arguments stay.
std::string functionName(const std::string &mangled);

} // namespace heddle
