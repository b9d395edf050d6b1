// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Barriers.h"
#include "analysis/Uniformity.h"
#include "source/FlowGraph.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::analysis {

class BarrierRegions;

/// The structure of a kernel around its barriers. What holds no barrier is a Region; loops and branches that
/// hold one stay as they are, with regions and barriers inside.
///
///     a; for (..) { b; __syncthreads(); if (u) { c; __syncthreads(); } } d;
///  => Sequence( Region(a), Loop( Sequence( Region(b), Barrier, Branch( Sequence(Region(c), Barrier), - ))),
///  Region(d))
struct RegionNode {
  enum class Kind {
    Sequence, ///< children one after the other
    Region,   ///< `statements`, none of which holds a barrier
    Barrier,  ///< `barrier`, an index into BarrierRegions::barriers()
    Loop,     ///< `statement` is the loop; children: its condition's barriers, its body, its step's barriers
    Branch,   ///< `statement` is an if (children: then, else) or a switch (children: one for each case, in
              ///< order)
    Call,     ///< `call` goes to a function that holds barriers; `callee` has its regions
  };
  Kind kind = Kind::Sequence;
  /// Regions count from 0 in the order of the text; other nodes have no number.
  static constexpr unsigned none = ~0u;
  unsigned region = none;
  const clang::Stmt *statement = nullptr; ///< for Barrier and Call: the whole statement they are in
  std::vector<const clang::Stmt *> statements;
  unsigned barrier = none;
  const clang::CallExpr *call = nullptr;
  std::shared_ptr<const BarrierRegions> callee;
  /// For Barrier and Call: the statement does something besides, as in `n = __syncthreads_count(p);`
  bool isPartOfStatement = false;
  /// For Branch: the condition is a constant after instantiation, and this is it.
  std::optional<bool> constantCondition;
  std::vector<std::unique_ptr<RegionNode>> children;
};

/// A condition that decides whether a barrier is reached and that not all who must meet there agree on.
struct DivergentControl {
  const clang::Stmt *branch = nullptr; ///< the if, loop, switch, && or ?:
  Level level = Level::Thread;
  std::vector<Step> why;
};

/// A return that is taken while a barrier may still come.
struct EarlyExit {
  const clang::Stmt *statement = nullptr;
  Place place;
  Level level = Level::Grid; ///< over whom it is agreed whether to return
  std::vector<Step> why;     ///< empty where the whole grid agrees
};

/// The barrier regions of a kernel, and what may run between barriers.
///
/// Looks into called functions. Warns of barriers under conditions that differ within the block: such code is
/// a bug even where it works by luck. Threads that return before a barrier are legal on the hardware; they
/// are listed.
class BarrierRegions {
public:
  static std::unique_ptr<BarrierRegions> of(const Uniformity &kernel, Diagnostics &diagnostics);

  const RegionNode &root() const { return *rootNode; }
  /// Every barrier in the kernel's own text, in the order of the text, warp barriers included.
  const std::vector<Barrier> &barriers() const { return barrierList; }
  /// Null where all who must meet at this barrier agree to come.
  const DivergentControl *divergence(const Barrier &barrier) const;
  const std::vector<EarlyExit> &earlyExits() const { return exits; }
  /// False where goto makes a structure that cannot be said as a tree; then root() is one region of
  /// everything.
  bool isStructured() const { return structured; }
  /// True where some barrier (of the kernel or of what it calls) cuts it.
  bool hasBarrier() const { return cuts; }
  /// True where every way through the function passes a barrier of the whole block.
  bool alwaysPassesBarrier() const { return everyWayPasses; }
  /// The strictest agreement that some barrier in here needs: nobody need agree (Thread) if there is none.
  Level neededAgreement() const { return needed; }

  /// Regions in order of their number.
  const std::vector<const RegionNode *> &regions() const { return regionList; }
  /// The region a statement or expression is in; null for what is part of the structure (a loop's condition).
  const RegionNode *regionOf(const clang::Stmt *statement) const;

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
  friend class RegionBuilder;
  const std::vector<bool> &reachedFromEndOf(unsigned block) const;

  const Uniformity *facts = nullptr;
  std::unique_ptr<RegionNode> rootNode;
  std::vector<Barrier> barrierList;
  std::unordered_map<const clang::Stmt *, DivergentControl> divergent;
  std::vector<EarlyExit> exits;
  std::vector<const RegionNode *> regionList;
  std::unordered_map<const clang::Stmt *, const RegionNode *> regionByStatement;
  std::vector<std::vector<unsigned>> orderedAt; ///< by block: positions that are a barrier of the whole block
  mutable std::unordered_map<unsigned, std::vector<bool>> reachable;
  bool structured = true, cuts = false, everyWayPasses = false;
  Level needed = Level::Thread;
};

} // namespace heddle::analysis
