// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Branches that all threads of a block take alike, and that data decides: the kernel is executed once for
/// each way they may go. All threads agree, so what counts is which branch it is and how often a thread has
/// come to it.
class Choices {
public:
  /// How the branch goes in this execution. `forced`: there is only one way.
  bool decide(uint32_t site, uint32_t arrival, bool wish, bool forced) {
    for (const One &one : made)
      if (one.site == site && one.arrival == arrival)
        return one.holds;
    made.push_back({site, arrival, wish, forced});
    return wish;
  }

  /// Advances to the next combination; false when all have been tried.
  bool next() {
    while (!made.empty() && made.back().done)
      made.pop_back();
    if (made.empty())
      return false;
    made.back().holds = !made.back().holds;
    made.back().done = true;
    return true;
  }

  bool empty() const { return made.empty(); }

private:
  struct One {
    uint32_t site, arrival;
    bool holds;
    bool done; ///< the other way was tried, or is none
  };
  std::vector<One> made; ///< in the order they were met, which is the same in each execution
};

} // namespace heddle::check
