// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle::check {

/// Reads of memory that nothing had written by then. They count once it is clear that no write races with
/// them, so they wait here until the block or the launch ends.
class UnwrittenReads {
public:
  /// `text` makes the words: it is called for the first read of an address.
  template <class F> void note(uint64_t address, uint32_t instrId, F text) {
    constexpr size_t Most = 1 << 16;
    if (reads.size() < Most && !reads.count(address))
      reads.emplace(address, Read{instrId, text()});
  }
  /// A write races with a read of these bytes: then that is what is wrong.
  void forget(uint64_t address);
  void clear() { reads.clear(); }
  /// Reports those that are left, and forgets them.
  void report(Rule rule, const LaunchFacts &launch, Reporter &reporter);

private:
  struct Read {
    uint32_t instrId = 0;
    std::string text;
  };
  std::map<uint64_t, Read> reads; ///< by address
};

} // namespace heddle::check
