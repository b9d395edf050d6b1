// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"

namespace clang {
class Stmt;
}

namespace heddle::transform {

/// A loop of the kernel, or of a function it calls, that goes on until another thread has done something: it
/// tests volatile memory, or asks by an atomic. Null where there is none.
const clang::Stmt *findWaitingLoop(const source::Kernel &kernel);

} // namespace heddle::transform
