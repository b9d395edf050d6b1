// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Kernel.h"
#include "support/Diagnostics.h"

#include <array>
#include <optional>

namespace heddle::analysis {

/// Nothing where, along the axes that `shrinks` marks, a kernel and the functions it calls ask only for a thread's index in the whole
/// grid (`blockIdx.x * blockDim.x + threadIdx.x`, also through locals) and for
/// the grid's extent in threads (`gridDim.x * blockDim.x`): then the result does not depend on how the grid is divided into
/// blocks. Else a note with the mention that is neither.
std::optional<Diagnostic::Note> mentionOfBlocks(const source::Kernel &kernel,
                                                const std::array<bool, 3> &shrinks);

} // namespace heddle::analysis
