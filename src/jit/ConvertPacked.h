// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Emitters.h"

namespace heddle::jit {

/// cvt to and from types with several values in a register, and to tf32.
Emitter packedConvertEmitter(const Form &form);
/// cvt.pack.
Emitter packEmitter(const Form &form);

} // namespace heddle::jit
