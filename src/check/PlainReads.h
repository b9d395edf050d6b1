// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Reporter.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace heddle::check {

/// Plain reads that race with atomics. That is how loops around a compare-and-swap begin, and then harmless:
/// such a race is reported at the end, unless a thread that read there goes on to swap.
class PlainReads {
public:
  void defer(Rule rule, const Side &reader, const Side &updater, uint64_t address, const std::string &what,
             std::string hint);
  /// An atomic of these threads: where it is a compare-and-swap, what they read before counts as guarded.
  void swapped(const Where &at, const vm::AccessEvent &event, const ptx::Instr *instruction);
  void reportLeft(Reporter &reporter);

  bool any() const { return hasReads; }

private:
  struct PlainRead {
    Side reader, updater;
    std::string what, hint;
    std::set<std::tuple<uint64_t, uint64_t, unsigned, uint64_t>> readers; ///< launch, block, thread, address
  };
  std::mutex guard;                                     ///< of what follows
  std::map<std::pair<uint32_t, Rule>, PlainRead> reads; ///< by the instrId of the read, and the rule
  std::set<uint32_t> guarded;                           ///< instructions that are followed by a swap
  std::atomic<bool> hasReads{false};
};

} // namespace heddle::check
