// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/Emitters.h"

namespace heddle::jit {

/// The .approx and .full instructions (semantics/Approx.h).
Emitter approxEmitter(const Form &form, const sem::Layout &layout);

} // namespace heddle::jit
