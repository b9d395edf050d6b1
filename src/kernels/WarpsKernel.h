// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole file with a warp-specialized kernel, of what partitioning made of a program.
#pragma once

#include "kernels/Emitted.h"
#include "partition/Constants.h"

namespace heddle::kernels {

struct WarpsKernel {
  const flow::Program &program;
  const partition::Partitioned &partitioned;
  std::string name;  ///< of the C function
  std::string title; ///< lines of comment: what it computes
  unsigned ctas = 1; ///< blocks that a multiprocessor is to hold
  std::optional<partition::ConstantPlace> constants;
  partition::OverlayOptions overlay;
  Precision precision = Precision::Double;
};

/// What a kernel needs, as far as it is known before it is compiled.
struct WarpsFigures {
  unsigned warps = 0, rows = 0;
  size_t sharedBytes = 0;
  unsigned instructions = 0;           ///< in the text, about
  unsigned longestWarp = 0;            ///< that one warp goes through for a tile
  unsigned instructionsOfAllWarps = 0; ///< without overlaying, in the text
  unsigned waits = 0, branches = 0;    ///< in the text
};

struct WarpsFile {
  std::string text;
  WarpsFigures figures;
};

WarpsFile warpsFile(const WarpsKernel &kernel);

/// `heddle_warps.h`: named barriers, and constants sent from lane to lane.
SourceFile warpsHeader();

} // namespace heddle::kernels
