// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <map>
#include <vector>

namespace heddle::analysis {

/// How the iterations of a loop relate when two accesses fall into the same stretch between two barriers.
enum class Relation {
  Any,    ///< every iteration of one with every iteration of the other
  Equal,  ///< the same iteration
  Before, ///< the second access is in a later iteration than the first
  Next,   ///< in the iteration right after
  After,  ///< the first is in a later iteration than the second
  Previous
};

/// One way in which two accesses can be executed by two threads with no barrier between them.
struct RegionPair {
  /// For each loop around both accesses, outermost first.
  std::vector<std::pair<const Loop *, Relation>> loops;
  bool operator==(const RegionPair &) const = default;
};

/// Which regions can be executed by different threads at the same time, between the same two barriers.
///
/// Threads run through the same sequence of barriers (a kernel where they do not is wrong for another
/// reason), so a stretch without barrier begins at one place for all of them: the kernel's start, or a
/// barrier in one iteration of its loops. Two accesses can meet if some such place leads to both without
/// passing another barrier.
class Order {
public:
  explicit Order(const Accesses &accesses);

  /// The ways in which accesses of the two regions can meet; empty where a barrier is always between.
  /// `warpBarriers`: also let __syncwarp separate (right for two threads of one warp).
  std::vector<RegionPair> pairs(unsigned first, unsigned second, bool warpBarriers) const;
  /// Something in `first` can be followed by something in `second` with a barrier between them.
  bool mayPrecede(unsigned first, unsigned second) const;

private:
  /// A beginning of a barrier-free stretch that leads to a region: the event it begins behind (null: the
  /// kernel's start) and the loop whose end was passed on the way (null: none).
  struct Start {
    const Event *from = nullptr;
    const Loop *passed = nullptr;
    bool passedOften = false; ///< more than one iteration of it may have been passed
  };
  struct Facts {
    bool stops = false;  ///< contains a barrier
    bool passes = false; ///< can be gone through without meeting one
  };

  Facts factsOf(const Event &event, bool warpBarriers) const;
  void lastBarriers(const Event &event, bool warpBarriers, std::vector<const Event *> &found) const;
  void startsBefore(const Event &event, bool warpBarriers, Start state, std::vector<Start> &found) const;
  bool excludeEachOther(const Start &a, const Event *first, const Start &b, const Event *second) const;
  const std::vector<Start> &startsOf(unsigned region, bool warpBarriers) const;

  const Accesses &accesses;
  std::vector<const Event *> regionEvents;
  std::map<const Event *, Facts> known[2];
  mutable std::map<unsigned, std::vector<Start>> starts[2];
  std::map<const Loop *, bool> loopPasses[2];
};

/// Merges neighbouring parts of the tree that no barrier separates into one region each and numbers the
/// regions in program order; returns the new number of each old one.
std::vector<unsigned> mergeRegions(Event &root, unsigned regions, unsigned &count);

} // namespace heddle::analysis
