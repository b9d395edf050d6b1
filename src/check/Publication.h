// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences and the values that carry what was known at them: see Publication.cpp.
#pragma once

#include "check/BlockOrder.h"
#include "check/Launch.h"
#include "check/SharedShadow.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// What a release let everybody know who sees the value that was written after it.
struct Published {
  uint32_t actor = 0;
  KnownRef known; ///< null: nothing
};

/// Addresses through which threads publish: what the present value of each carries, by scope.
class PublishedValues {
public:
  struct Value {
    Published device, block;
    bool isFlag = false; ///< its writer's first write after a fence: it signals that something is ready
  };

  Value *find(uint64_t address);
  const Value *find(uint64_t address) const;
  Value &at(uint64_t address) { return values[address]; }
  bool empty() const { return values.empty(); }
  void clear() { values.clear(); }
  /// A plain store is no link of any chain.
  void overwrite(const vm::AccessEvent &event);
  void forget(uint64_t address, uint64_t bytes);

private:
  std::unordered_map<uint64_t, Value> values;
};

/// Which instructions are polls, and which atomics have a result that is read (Polls.h), asked once for each. Any host
/// thread may ask.
class PollInstructions {
public:
  explicit PollInstructions(const InstructionTable &table) : instructions(table) {}
  bool isPoll(uint32_t instrId) const;
  bool isResultRead(uint32_t instrId) const;

private:
  const InstructionTable &instructions;
  mutable std::mutex guard;
  mutable std::map<uint32_t, bool> polls, resultsRead;
};

/// An access of now and one of the past to the same address, both strong, that nothing orders.
struct AccessPair {
  uint64_t address = 0;
  Strength mine = Strength::Weak, theirs = Strength::Weak;
  uint32_t myInstrId = 0, theirInstrId = 0;
  bool iWrite = false, theyWrite = false;
};

/// Fences of a block's lanes: what each lane knew at its last one, and which published values it has seen
/// since. What that orders goes to the block's order.
class Fences {
public:
  void begin(unsigned warps);

  void fence(unsigned warp, const vm::FenceEvent &event, BlockOrder &order);
  /// A strong access: takes along what it sees, and publishes what was let known by then.
  void access(const Where &at, const vm::AccessEvent &event, PublishedValues &values,
              const PollInstructions &polls, BlockOrder &order);
  /// What these lanes have seen with atomics counts from a barrier on.
  void barrier(unsigned warp, uint32_t mask, BlockOrder &order);
  /// Adds what these lanes knew at their fences: threads that they synchronize with publish it too.
  void carry(Known &into, unsigned warp, uint32_t mask) const;
  /// The same for lanes that have synchronized with each other.
  void carryInWarp(unsigned warp, uint32_t here, BlockOrder &order) const;

  /// Whether two strong accesses of no order are meant: see Publication.cpp.
  bool mayRace(unsigned warp, unsigned lane, const AccessPair &pair, const PublishedValues &values,
               const PollInstructions &polls, const BlockOrder &order) const;

private:
  struct Fence {
    KnownRef known;
    Stamp time = 0;
    bool used = false; ///< a strong write followed
  };
  /// Values seen with a relaxed read. They count from the reader's next fence on.
  struct Seen {
    Published what;
    bool atomic = false; ///< by a read-modify-write
  };
  struct Lane {
    Fence block, device; ///< the last fence of at least that scope
    KnownRef used; ///< what other threads' fences let know (Known::flushedToBlock) at its last strong write
    std::vector<Seen> seen;
    uint64_t polled = ~uint64_t(0); ///< the address that was polled last
  };
  using Warp = std::unique_ptr<std::array<Lane, 32>>; ///< null: no fence, nothing seen

  Lane &laneOf(unsigned warp, unsigned lane);
  void takeSeen(unsigned warp, unsigned lane, vm::Scope scope, bool atomicsOnly, BlockOrder &order);
  void proxyFence(unsigned warp, uint32_t mask, BlockOrder &order) const;
  void see(const Where &at, unsigned lane, const vm::AccessEvent &event, const PublishedValues::Value &value,
           BlockOrder &order);
  static void remember(Lane &lane, const Published &what, bool atomic);
  bool isFirstAfterFence(unsigned warp, unsigned lane, const BlockOrder &order) const;

  std::vector<Warp> warps;
};

} // namespace heddle::check
