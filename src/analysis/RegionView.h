// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelTree.h"

#include <functional>

namespace heddle::analysis {

/// One step of a sequence of statements as barriers cut it.
struct RegionStep {
  enum class Kind {
    Region,  ///< statements, none of which holds a barrier: a run of them as long as can be
    Barrier, ///< `point` says which
    Call,    ///< `point` is a call to a function that holds barriers
    Loop,    ///< a loop that holds a barrier
    Branch,  ///< an if or switch that holds one
  };
  Kind kind = Kind::Region;
  /// Regions count from 0 in the order of the text; other steps have no number.
  static constexpr unsigned none = ~0u;
  unsigned region = none;
  std::vector<const clang::Stmt *> statements; ///< of a region
  const KernelNode *node = nullptr;            ///< of all others
  const BarrierPoint *point = nullptr;
};

/// A way through a branch; or a part of a loop that holds barriers: its condition, its body, its step.
struct RegionPart {
  const clang::Stmt *statement = nullptr; ///< null for an else that is not there; a switch: the first label
  std::vector<RegionStep> steps;
};

/// A kernel as barriers cut it: a view of its tree. What holds no barrier is a region; loops and branches
/// that hold one are unchanged, with regions and barriers inside.
///
///     a; for (..) { b; __syncthreads(); if (u) { c; __syncthreads(); } } d;
///  => Region(a), Loop( Region(b), Barrier, Branch( Region(c), Barrier | )), Region(d)
class RegionView {
public:
  explicit RegionView(const KernelTree &tree);

  /// The kernel's steps. Where goto makes a structure that cannot be said as a tree: one region of everything.
  const std::vector<RegionStep> &steps() const { return top; }
  /// What a loop or branch that holds a barrier is made of.
  std::vector<RegionPart> partsOf(const KernelNode &node) const;
  unsigned count() const { return unsigned(numbers.size()); }
  /// The number of the region that a statement or expression is in; nothing for what is part of the structure
  /// (a loop's condition).
  std::optional<unsigned> regionOf(const clang::Stmt *statement) const;
  /// All steps, those inside loops and branches included, in the order of the text.
  void forEach(const std::function<void(const RegionStep &)> &visit) const { forEach(top, visit); }

private:
  using Visit = std::function<void(const RegionStep &)>;
  void forEach(const std::vector<RegionStep> &steps, const Visit &visit) const;
  std::vector<RegionPart> partsOfLoop(const KernelNode &loop) const;
  std::vector<RegionPart> casesOf(const KernelNode &choice) const;
  void add(std::vector<RegionStep> &steps, const KernelNode &node) const;
  void addToRegion(std::vector<RegionStep> &steps, const clang::Stmt *statement) const;
  void addBarriers(std::vector<RegionStep> &steps, const KernelNode &node,
                   const std::function<bool(const BarrierPoint &)> &isWanted) const;
  void setNumbers(std::vector<RegionStep> &steps) const;

  const KernelTree &tree;
  std::vector<RegionStep> top;
  std::unordered_map<const clang::Stmt *, unsigned> numbers;     ///< by a region's first statement
  std::unordered_map<const clang::Stmt *, unsigned> byStatement; ///< by each of its statements
};

} // namespace heddle::analysis
