// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Value.h"
#include "ptx/Isa.h"

namespace heddle::jit {

/// prmt: each digit of c (or of what the mode makes of c) selects one of the eight bytes of {b:a}, or its sign.
Bits permuteBytes(const Bits &a, const Bits &b, const Bits &c, ptx::PrmtMode mode);

} // namespace heddle::jit
