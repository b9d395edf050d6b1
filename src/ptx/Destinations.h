// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

namespace heddle::ptx {

/// How many of an instruction's operands are written; they come first. 0 for a call, whose results are a list of their own.
unsigned countDests(const Function &function, const Instr &instr);

} // namespace heddle::ptx
