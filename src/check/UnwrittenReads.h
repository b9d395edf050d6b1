// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::check {

/// Reads of launches that have ended, which were reported. A write may follow that nothing orders with the launch: then
/// that race is what is wrong, and the finding is withdrawn.
class ReportedReads {
public:
  void add(const LaunchFacts &launch, uint32_t instrId, std::vector<uint64_t> addresses);
  /// A write that nothing orders with this launch.
  void wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end, Reporter &reporter);

  static constexpr uint64_t MostBytes = 16; ///< of one read

private:
  std::map<uint32_t, std::map<const LaunchFacts *, std::vector<uint64_t>>> reads; ///< by instruction
  std::set<uint32_t> final; ///< instructions whose reads are too many to remember
  size_t remembered = 0;
};

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
  void forget(uint64_t address) { forget(address, address + ReportedReads::MostBytes); }
  void forget(uint64_t begin, uint64_t end);
  void clear() { reads.clear(); }
  /// Reports those that are left, and forgets them. `reported` gets those of global memory.
  void report(Rule rule, const LaunchFacts &launch, Reporter &reporter, ReportedReads *reported = nullptr);

private:
  struct Read {
    uint32_t instrId = 0;
    std::string text;
  };
  std::map<uint64_t, Read> reads; ///< by address
};

} // namespace heddle::check
