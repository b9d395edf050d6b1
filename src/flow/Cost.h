// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many machine instructions an operation becomes, about: what decides whether code fits a cache and work
// is distributed evenly.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

unsigned instructionsOf(const Instruction &instruction);
unsigned instructionsOf(const Operation &operation);

} // namespace heddle::flow
