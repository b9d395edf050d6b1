// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

namespace heddle::ptx {
struct Instr;
struct Module;
} // namespace heddle::ptx

namespace heddle::vm {

/// The location of an instruction in the CUDA source, unknown if the PTX has no line for it. Code inlined from
/// headers of a toolkit, or of Heddle, has the location of the call in the user's code.
SourceLocation sourceOf(const ptx::Module &module, const ptx::Instr &instr);

} // namespace heddle::vm
