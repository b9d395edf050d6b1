// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random/Program.h"

#include <functional>
#include <vector>

namespace heddle::generator {

/// For each of some programs, whether it still fails in the way that matters.
using StillFails = std::function<std::vector<bool>(const std::vector<Program> &)>;

/// A program that still fails and from which no node can be dropped or replaced by a smaller one. Ends earlier, with
/// what there is, after `seconds`.
Program shrunk(Program program, const StillFails &stillFails, double seconds);

} // namespace heddle::generator
