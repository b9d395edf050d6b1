// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pieces of different warps are at the same place: one long list in which the list of every warp is a
// subsequence, and two warps share a position only with pieces of one shape.
#pragma once

#include "partition/Pieces.h"

namespace heddle::partition {

/// A place in the text of all warps: the number of each warp's piece there, or Piece::none.
struct Place {
  std::vector<unsigned> pieces;
};

/// Warp by warp, each laid over what is there in the way that leaves the fewest instructions; a change
/// between what is shared and what is not counts as a branch.
std::vector<Place> align(const std::vector<PieceList> &warps);

} // namespace heddle::partition
