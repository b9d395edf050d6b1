// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables for all warps at once: where warps share an instruction, its operands must have the same names in
// all of them. Webs that must have one name become one variable, if no two of them live at once in a warp.
// Where they do, the warp cannot share that instruction and gets a place of its own.
#pragma once

#include "partition/Align.h"

namespace heddle::partition {

struct Variables {
  std::vector<std::vector<unsigned>> ofWeb; ///< by warp and web
  unsigned count = 0;                       ///< numbered in the order of their first appearance
};

/// Splits places until all agree.
Variables nameVariables(const std::vector<PieceList> &warps, std::vector<Place> &places);

/// Lets variables that never live at once in any warp be one. To a compiler, which does not know that a warp
/// takes the same branches every time, a variable is live where it is live in any warp: without this, registers
/// would be needed for what all warps hold together. Those with `isLocal` are left alone.
void packVariables(const std::vector<PieceList> &warps, const std::vector<bool> &isLocal,
                   Variables &variables);

} // namespace heddle::partition
