// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of all warps laid over each other (section 5.1 of the paper on Singe). An instruction cache does
// not hold a text for each warp; so where warps do the same up to constants and indices there is one instance
// for all of them, where some do it follows a branch on a mask of warps, and where none do each warp
// has its own way for a while.
//
//     warp 0:  get 3; fma; exp2; wait          all:     get row[w]; fma constant[w]
//     warp 1:  get 7; fma; wait           =>   {0}:     exp2
//                                              all:     wait
#pragma once

#include "partition/Variables.h"

#include <cstdint>

namespace heddle::partition {

/// Bit w is warp w.
using WarpMask = uint32_t;

/// An instruction as it is in the text.
struct Instance {
  Shape shape;
  WarpMask warps = 0;                  ///< that mean it
  std::vector<unsigned> pieces;        ///< each warp's, or Piece::none
  std::vector<unsigned> reads, writes; ///< variables
};

/// Instances that the same warps go through. Warps may go through what they do not mean, where that does no
/// harm and costs less than a branch: they read a row of zeros, and add what they read.
struct Region {
  WarpMask warps = 0;
  std::vector<unsigned> instances;
  unsigned instructions = 0;
};

/// Regions of different warps: each warp goes through one of them at most.
struct Fork {
  std::vector<Region> ways;
};

struct Overlaid {
  unsigned warps = 0;
  std::vector<PieceList> lists; ///< what each warp does, by itself
  std::vector<Instance> instances;
  std::vector<Fork> forks; ///< in the order of the text
  std::vector<std::string> variableNames;
  unsigned rows = 0;
  bool hasZeroRow = false; ///< the last row holds zeros

  WarpMask all() const { return warps == 32 ? ~0u : (1u << warps) - 1; }
  const Piece &pieceOf(const Instance &instance, unsigned warp) const {
    return lists[warp].pieces[instance.pieces[warp]];
  }
};

struct OverlayOptions {
  unsigned mostInWay = 200; ///< instructions, where more than two ways part
  bool pads = true;         ///< warps may go through what they do not mean
};

/// Results that no warp closes are stored as zero by the first warp.
Overlaid overlay(const flow::Program &program, const Partitioned &partitioned,
                 const OverlayOptions &options = {});

} // namespace heddle::partition
