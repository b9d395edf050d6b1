// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::ptx {

/// Links modules of separately compiled files (nvcc -rdc=true) into one, as nvlink does: what one module declares
/// .extern is what another defines, of several .weak definitions of a name the first is taken (a .visible one before
/// them), and .common variables of a name are one variable. What is local to a module stays its own, whatever its name.
/// A name that is declared and defined nowhere stays a declaration. Two definitions of a name, or definitions of
/// different kinds, are errors.
std::optional<Module> link(std::vector<Module> modules, std::string path, Diagnostics &diagnostics);

} // namespace heddle::ptx
