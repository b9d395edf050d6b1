// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Barriers.h"
#include "analysis/Uniformity.h"
#include "source/FlowGraph.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::analysis {

/// A condition that decides whether a barrier is reached and that not all who must meet there agree on.
struct DivergentControl {
  const clang::Stmt *branch = nullptr; ///< the if, loop, switch, && or ?:
  Level level = Level::Thread;
  std::vector<Step> why;
};

/// A return that is taken while a barrier may still come.
struct EarlyExit {
  const clang::Stmt *statement = nullptr;
  SourceLocation location;
  Level level = Level::Grid; ///< over whom it is agreed whether to return
  std::vector<Step> why;     ///< empty where the whole grid agrees
};

/// The barriers of a kernel, who agrees to come to them, and what may run between them. The regions that they
/// cut the kernel into are a view of its tree: RegionView.h.
///
/// Looks into called functions. Warns of barriers under conditions that differ within the block: such code is
/// a bug even where it works by luck. Threads that return before a barrier are legal on the hardware; they
/// are listed.
class BarrierRegions {
public:
  static std::unique_ptr<BarrierRegions> of(const Uniformity &kernel, Diagnostics &diagnostics);

  /// Every barrier in the kernel's own text, in the order of the text, warp barriers included.
  const std::vector<Barrier> &barriers() const { return barrierList; }
  /// Null where all who must meet at this barrier agree to come.
  const DivergentControl *divergence(const Barrier &barrier) const;
  const std::vector<EarlyExit> &earlyExits() const { return exits; }
  /// What cuts the function's own text into regions: barriers, and calls to functions that hold one.
  const std::vector<const clang::Stmt *> &holders() const { return cutsAt; }
  /// The barrier of this statement, as an index into barriers().
  std::optional<unsigned> numberOf(const clang::Stmt *statement) const;
  /// Of the function called here, where it holds barriers.
  const BarrierRegions *calleeAt(const clang::CallExpr *call) const;
  /// False where goto makes a structure that cannot be said as a tree.
  bool isStructured() const { return structured; }
  /// True where some barrier (of the kernel or of what it calls) cuts it.
  bool hasBarrier() const { return cuts; }
  /// True where every way through the function passes a barrier of the whole block.
  bool alwaysPassesBarrier() const { return everyWayPasses; }
  /// The strictest agreement that some barrier in here needs: no agreement is needed (Thread) if there is none.
  Level neededAgreement() const { return needed; }

  /// Of the function that this is about.
  const Uniformity &uniformity() const { return *facts; }

  /// True where a thread can go from `from` to `to` and pass no barrier of the whole block on that way, also
  /// around loops; `from` itself, `to` itself and, for equal ones, a way back to it.
  bool mayReachWithoutBarrier(const clang::Stmt *from, const clang::Stmt *to) const;
  /// True where every way from `from` to `to` passes such a barrier.
  bool mustBarrierBetween(const clang::Stmt *from, const clang::Stmt *to) const {
    return !mayReachWithoutBarrier(from, to);
  }
  /// The same for places of the flow graph.
  bool mayReachWithoutBarrier(source::FlowGraph::Point from, source::FlowGraph::Point to) const;

private:
  friend class BarrierFinder;
  const std::vector<bool> &reachedFromEndOf(unsigned block) const;

  const Uniformity *facts = nullptr;
  std::vector<Barrier> barrierList;
  std::unordered_map<const clang::Stmt *, DivergentControl> divergent;
  std::vector<EarlyExit> exits;
  std::vector<const clang::Stmt *> cutsAt;
  std::unordered_map<const clang::Stmt *, unsigned> barrierNumber;
  std::unordered_map<const clang::CallExpr *, std::unique_ptr<const BarrierRegions>> calls;
  std::vector<std::vector<unsigned>> orderedAt; ///< by block: positions that are a barrier of the whole block
  mutable std::unordered_map<unsigned, std::vector<bool>> reachable;
  bool structured = true, cuts = false, everyWayPasses = false;
  Level needed = Level::Thread;
};

} // namespace heddle::analysis
