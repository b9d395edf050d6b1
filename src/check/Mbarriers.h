// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mbarriers of a block: see Mbarriers.cpp.
#pragma once

#include "check/BlockOrder.h"
#include "check/Reporter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::check {

/// Phases, arrivals, bytes and waits of each mbarrier, by its offset in shared memory. What a phase orders goes
/// to the block's order. Each mbarrier has a copy engine, which acts as a thread of the block (BlockOrder.h).
class Mbarriers {
public:
  void begin() { byOffset.clear(); }
  bool empty() const { return byOffset.empty(); }

  void on(const Where &at, const vm::MbarrierEvent &event, const InstructionTable &instructions,
          BlockOrder &order, Reporter &reporter);
  /// Plain stores over an mbarrier that is in use.
  void overwritten(const Where &at, const vm::AccessEvent &event, Reporter &reporter);

  /// The copy engine of an mbarrier, as a thread.
  unsigned engineOf(uint32_t offset, const BlockOrder &order) { return order.engineThread(at(offset).slot); }
  /// A copy starts that reports its bytes to the mbarrier, and ends.
  void copyStarts(uint32_t offset, uint32_t to, uint32_t bytes, uint32_t instrId);
  void copyEnds(const LaunchFacts &launch, uint32_t offset, uint32_t to, uint32_t bytes, Reporter &reporter);
  /// What the mbarrier's engine did by then is known to those who wait for the phase.
  void gatherEngine(uint32_t offset, Stamp time, const BlockOrder &order);

  /// Whether what `other` did would be ordered, had the thread's wait for it not gone wrong: that has been
  /// reported.
  bool badWait(unsigned thread, unsigned other, const BlockOrder &order) const;

  // --- when nothing more can come
  /// Reports bytes that are left over; whether there are any.
  bool reportBytes(const LaunchFacts &launch, uint64_t block, Reporter &reporter);
  struct Fate {
    bool wasValid = false;
    bool isReported = false; ///< something else was wrong with it, and explains what follows
  };
  Fate fateOf(uint32_t offset) const;
  /// Whether some thread waits at one of them; and at one whose fault has been reported.
  bool anyWaits() const;
  bool anyWaitIsExplained() const;
  /// Those that threads wait for, in words.
  std::vector<std::string> waitedFor(const LaunchFacts &launch, uint64_t block) const;

private:
  struct Wait {
    int64_t target = -1; ///< the phase whose end it waits for, from 0; -1: one before the first
    uint32_t instrId = 0;
    Stamp stamp = 0;
    bool byParity = false;
    bool known = false;  ///< the thread knew that this phase was over: it means to pass at once
    bool failed = false; ///< has not passed yet
    bool bad = false;
    uint32_t freshInstrId = 0; ///< where it once passed before the first phase was over
  };
  struct Flight {
    uint32_t to = 0, bytes = 0, instrId = 0;
    uint64_t phase = 0;
  };
  struct Mbarrier {
    unsigned slot = 0;
    bool valid = false, wasValid = false;
    uint64_t phases = 0;     ///< completed
    std::vector<Stamp> ends; ///< when
    bool bytesReported = false;
    bool reported = false;            ///< see Fate
    std::set<unsigned> arriving;      ///< threads, of this phase
    std::set<unsigned> phaseArrivers; ///< threads, of the newest phase that ended
    std::optional<Known> gathered;
    KnownRef done;
    int64_t expected = 0, pending = 0, bytes = 0;
    unsigned initThread = 0;
    Stamp initStamp = 0;
    uint32_t initInstrId = 0, expectInstrId = 0;
    std::set<unsigned> arrivers;    ///< warps
    std::map<unsigned, Wait> waits; ///< by thread
    std::vector<Flight> flights;
  };
  /// An event at one of them.
  struct Use {
    const Where &at;
    unsigned lane = 0;
    uint32_t offset = 0;
    Mbarrier &mbarrier;
    unsigned thread() const { return at.thread(lane); }
    std::string name() const { return sharedName(*at.launch.kernel, offset, 8); }
  };

  Mbarrier &at(uint32_t offset);
  static void initialize(const Use &use, int64_t count, BlockOrder &order, Reporter &reporter);
  static void checkInitialized(const Use &use, const BlockOrder &order, Reporter &reporter);
  static void arrive(const Use &use, int64_t count, bool relaxed, BlockOrder &order, Reporter &reporter);
  void complete(const Use &use, BlockOrder &order, Reporter &reporter);
  void wait(const Use &use, const vm::MbarrierEvent &event, const InstructionTable &instructions,
            BlockOrder &order, Reporter &reporter);
  void reportBadWait(const Use &use, const std::set<unsigned> &arrivers, unsigned thread, Wait &wait,
                     Reporter &reporter);

  std::map<uint32_t, Mbarrier> byOffset;
};

} // namespace heddle::check
