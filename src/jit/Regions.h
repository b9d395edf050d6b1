// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a function that lanes go through separately without leaving compiled code.
//
// After a branch on which lanes diverge, until they reconverge, each block is executed for the lanes that have reached it,
// under a mask, in the order in which the interpreter executes them (vm/Order.h): of all blocks at which lanes wait, that with the
// lowest position in the order; lanes that return to the head of a loop wait there until no other is inside. That order is
// known when code is emitted, so what the interpreter does by splits is a chain of tests here (Steps).
//
// A region has operations, weak loads and stores, atomics in shared memory, and branches, and nothing else: all of its lanes arrive at its join.
#pragma once

#include "jit/Shapes.h"

#include <map>
#include <optional>
#include <set>

namespace heddle::jit {

struct Region {
  /// A block that is executed if lanes wait at it; the head of a loop has two, one in front of the loop and one at its end.
  struct Step {
    uint32_t block = 0;
    bool isEndOfLoop = false;
  };

  uint32_t join = 0;            ///< block
  std::vector<uint32_t> blocks; ///< in their order
  std::vector<Step> steps;
  uint32_t highest = 0;   ///< position in the order at which lanes of it wait, the highest
  bool jumpsBack = false; ///< in it, or to the join: lanes may differ in the number of backward jumps
  /// Registers that lanes may need that are elsewhere in the region: a block must not change those of other lanes.
  llvm::BitVector kept;
  /// Registers that have to be in their rows where it is left before its end.
  llvm::BitVector stored;

  bool contains(uint32_t block) const;
  /// The index of the step that follows a block; 0 for the block in front of the region.
  unsigned stepAfter(uint32_t block) const;
  /// The index of the step at which lanes wait that go from one block to another; steps.size() for the join.
  unsigned stepOf(const Program &program, uint32_t from, uint32_t to) const;
};

class Regions {
public:
  /// Of a part: none has blocks of another one, except for its join.
  Regions(const Program &program, const Shapes &shapes, const Part &part, const PartRegisters &registers);

  /// The region behind a branch; nullptr: compiled code is left if lanes disagree.
  const Region *behind(uint32_t branch) const {
    auto found = regions.find(branch);
    return found == regions.end() ? nullptr : found->second;
  }
  bool empty() const { return regions.empty(); }

private:
  std::optional<Region> find(uint32_t branch) const;
  bool canUse(uint32_t branch, const Region &own, const Region &other) const;
  bool isServed(const Region &region) const;
  bool orderSteps(Region &region, uint32_t branch) const;
  bool keepsScalars(const Region &region) const;
  bool mayWait(const Region &region, uint32_t block, uint32_t running) const;
  bool isPassedByAll(const Region &region, uint32_t head, uint32_t block) const;
  void findRegisters(Region &region) const;
  uint32_t orderOf(uint32_t block) const;
  uint32_t loopEndOf(uint32_t block) const;
  bool isBackward(uint32_t from, uint32_t to) const;

  const Program &program;
  const Shapes &shapes;
  const Part &part;
  const PartRegisters &registers;
  std::vector<std::unique_ptr<Region>> all;
  std::map<uint32_t, const Region *> regions; ///< by branch
};

} // namespace heddle::jit
