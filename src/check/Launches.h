// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Launch.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace heddle::check {

/// All launches so far, and which of them come before which. Facts of a launch stay where they are for good.
class Launches {
public:
  /// Numbers the launch's blocks and finds out what came before it.
  const LaunchFacts &begin(LaunchFacts facts);
  void end(uint64_t number);

  /// The launch of a block; null: there is none.
  const LaunchFacts *ofActor(uint32_t actor) const;
  /// Whether the launch of that block comes before another. Without orders, what is over does.
  bool isOrdered(uint32_t actor, const LaunchFacts &launch) const;
  /// Those that nothing orders with a copy or fill.
  std::vector<const LaunchFacts *> unorderedWith(const WorkOrder &work) const;

private:
  struct Entry {
    LaunchFacts facts;
    bool running = true;
  };
  const Entry *find(uint32_t actor) const;
  uint32_t orderedBelow(const LaunchFacts &launch) const;

  std::map<uint64_t, std::unique_ptr<Entry>> running;
  std::vector<std::unique_ptr<Entry>> ended;
  uint32_t nextActor = 1;
};

} // namespace heddle::check
