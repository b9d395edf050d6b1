// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/loops/TileLoop.h"
#include "transform/specialize/RoleView.h"

namespace heddle::transform {

using analysis::TileLoop;

/// Who carries out which statement of a kernel whose warps take roles.
///
/// Producers: the stores to tiles and, backwards along variables and control, all that these need. Consumers:
/// everything else that has an effect, and what that needs. What both need both do: it must have no effect
/// and be the same for both. What neither role needs is left out.
struct RoleSplit {
  std::vector<TileLoop> loops;
  std::set<const clang::VarDecl *> tiles;
  /// Jumps that decide whether there is another iteration, or which: both roles take them.
  std::vector<const KernelNode *> jumps;
  std::set<const KernelNode *> producer, consumer;
  /// Of the producer's: what differs from thread to thread, and the variables that do.
  std::set<const KernelNode *> varying;
  VariableSet varyingVariables;
  /// Declarations before the loop that producers recompute in each iteration for each thread that they load for.
  std::set<const KernelNode *> sunk;
  /// Pointers into a tile that are made before the loop: each iteration has its own.
  std::set<const KernelNode *> aliases;
  VariableSet aliasVariables;
  /// Barriers outside of tile loops at which producers have to come, too: later loads see earlier stores.
  std::set<const KernelNode *> meets;
  /// Why a producer cannot load for several threads of the block, only for one.
  std::optional<Diagnostic> onlyOneToOne;
  /// Loads that may leave elements of a tile as they were.
  std::vector<const KernelNode *> partial;

  const TileLoop *loopWithLoad(const KernelNode *node) const;
  const TileLoop *loopOf(const KernelNode *node) const; ///< whose body it is in
};

std::variant<RoleSplit, Diagnostic> splitRoles(const RoleView &view);

} // namespace heddle::transform
