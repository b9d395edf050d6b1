// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses at constant distances from each other.
//
// Instructions that follow each other without an entry between them, and access memory at different offsets from the same value of a
// register, are checked together, by their lowest and their highest address. If that fails, the handler executes each of them.
// Loads among them that are side by side in memory become one load for each lane, if nothing between them may write.
#pragma once

#include "jit/Program.h"

#include <map>
#include <vector>

namespace heddle::jit {

struct AccessGroup {
  uint32_t first = 0;              ///< instruction
  int64_t lowest = 0, highest = 0; ///< offsets from the register
  std::vector<uint32_t> accesses;
  std::vector<uint32_t> writes; ///< for each of them, how many instructions before it may have written memory
};

/// Loads of a group that fill 16 bytes.
struct Neighbours {
  uint32_t first = 0;          ///< instruction, at which all are loaded
  int64_t imm = 0;             ///< the lowest offset
  std::vector<uint32_t> loads; ///< by offset
};

class AccessGroups {
public:
  AccessGroups() = default;
  /// Of instructions from `first` to before `end`.
  AccessGroups(const Program &program, uint32_t first, uint32_t end);

  /// nullptr: it is checked by itself.
  const AccessGroup *of(uint32_t instr) const {
    auto found = groupOf.find(instr);
    return found == groupOf.end() ? nullptr : &groups[found->second];
  }
  const Neighbours *neighboursOf(uint32_t instr) const {
    auto found = neighbourOf.find(instr);
    return found == neighbourOf.end() ? nullptr : &neighbours[found->second];
  }

private:
  void findNeighbours(const Program &program, const AccessGroup &group);

  std::vector<AccessGroup> groups;
  std::vector<Neighbours> neighbours;
  std::map<uint32_t, size_t> groupOf, neighbourOf; ///< by instruction
};

} // namespace heddle::jit
