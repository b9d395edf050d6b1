// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals divide a program into stages: what reads a sum comes after all that contributes to it.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// The stage of each operation, from 0: the first in which all totals that it reads, itself or through pure
/// operations, are complete. Operations of one stage may be done in any order.
std::vector<unsigned> stagesOf(const Program &program);

} // namespace heddle::flow
