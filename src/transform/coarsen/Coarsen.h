// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/work/ItemIndices.h"
#include "transform/work/WorkPlan.h"

namespace heddle::transform {

/// `coarsen x=F [y=F] [z=F] [map=interleaved|blocked] [grid=F]`: each thread does the work of F threads.
///
///     a[threadIdx.x] = b[threadIdx.x];             k<<<g, 256>>>(a, b);
///  => for (unsigned kx = 0; kx < 2; ++kx) {        k<<<g, 256 / 2>>>(a, b);
///       const unsigned threadX = threadIdx.x + kx * blockDim.x;
///       a[threadX] = b[threadX];
///     }
///
/// The code between two barriers gets a work loop of its own; loops and branches around barriers stay. Values
/// that differ by thread and live across a barrier become small arrays, what is the same for all threads is
/// done once. The launches in the file are rewritten. A merged grid is rounded up, and blocks that the original grid does not
/// have are skipped.
///
/// Refuses: factors that do not divide a launch's block, divergent barriers, barriers of fewer than all
/// threads, races between threads of a block, warp operations where a warp's threads would not stay together
/// in their order.
PassResult coarsen(Context &context);

/// The form in which a kernel can be cut at its barriers; nothing where it has that form.
std::optional<Needs> formToCoarsen(Context &context);
/// The same for what a plan for these axes asks for. Refuses nothing.
std::optional<Needs> formForPlan(Context &context, const std::vector<Axis> &axes);

/// A kernel whose text was rewritten, and what was done to get it.
struct Merged {
  Code body;
  unsigned workLoops = 0;
  std::vector<std::string> arrays, recomputed, jammedForReuse, jammedForLoads;

  /// "; 'x' became an array; work loops went into the loop at line 7, ..."
  std::string str() const;
};

/// Merges threads along axes, outermost work loop first; launches and bounds stay to be changed. `form`: the block written
/// down in another one. `grid`: one that merged blocks may not fill.
std::variant<Merged, Refused, Needs> mergeThreads(Context &context, const std::vector<Axis> &axes,
                                                  analysis::Map map,
                                                  const std::optional<BlockForm> &form = std::nullopt,
                                                  const std::optional<GridForm> &grid = std::nullopt);

/// `coarsen` along given axes, outermost work loop first.
PassResult coarsenAlong(Context &context, const std::vector<Axis> &axes, analysis::Map map);

} // namespace heddle::transform
