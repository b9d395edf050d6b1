// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

namespace heddle::ptx {
struct Instr;
struct Module;
} // namespace heddle::ptx

namespace heddle::vm {

/// Where an instruction is in the CUDA source, unknown where the PTX does not say. What was inlined from
/// headers of a toolkit, or of ours, counts as standing where the user's code called it.
SourceLocation sourceOf(const ptx::Module &module, const ptx::Instr &instr);

} // namespace heddle::vm
