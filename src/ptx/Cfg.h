// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

namespace heddle::ptx {

/// True where control may go elsewhere after this instruction than to the next one.
bool endsBlock(const Instr &instr);

/// True for an instruction without a guard that never goes on to the next one.
bool neverFallsThrough(const Instr &instr);

/// Fills Function::blocks and blockOf: the blocks, the edges between them and where lanes that diverge
/// reconverge. Entry: the function is defined and its branch targets are resolved.
///
/// A loop that nothing leaves has no way to the function's end. It is given one from its last block, so that
/// branches inside it still find where their paths reconverge.
void buildCfg(Function &function);

} // namespace heddle::ptx
