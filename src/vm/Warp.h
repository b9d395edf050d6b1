// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Code.h"
#include "vm/Fault.h"
#include "vm/Frame.h"
#include "vm/Lanes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::vm {

class Block;
struct Core;
struct CompiledStart;
struct CompiledState;
struct CompiledVersion;
struct EnteredCode;

/// Host pointers of the lanes of one memory instruction.
struct Pointers {
  alignas(64) uint8_t *at[Lanes];
};

/// A copy that cp.async has issued and that has not been waited for.
struct PendingCopy {
  uint8_t *to = nullptr;
  const uint8_t *from = nullptr;
  uint8_t bytes = 0, fromBytes = 0;
  uint8_t lane = 0;
  uint32_t group = 0; ///< number of the group of its lane
};

/// cp.async.bulk from shared to global memory, until its group is waited for. The source is read then, not at
/// issue, so that a program that overwrites it without waiting copies wrong data, as it may on a device.
struct PendingBulk {
  uint64_t to = 0;
  uint32_t from = 0, bytes = 0;
  uint32_t lane = 0;
  uint32_t group = 0;
};

/// Why a warp's slice ended.
enum class SliceEnd : uint8_t { Budget, Blocked, Deferred, Idle, Done, AwaitOrder, Faulted };

/// 32 threads. Lanes that are at the same instruction form a split. Splits run alternately so that all make progress,
/// the one furthest back first, and reconverge at the same position (Splits.cpp).
class Warp {
public:
  // What handlers use, hottest first.
  uint8_t *base[4] = {}; ///< by the top two bits of a Loc
  Core *core = nullptr;
  Block *block = nullptr;
  uint32_t polls = 0;            ///< loads that may wait for others: volatile, relaxed, acquire, atomics
  uint32_t changes = 0;          ///< stores, and atomics that changed something
  uint32_t carry = 0;            ///< condition code of add.cc and its variants, one bit per lane
  const Inst *segment = nullptr; ///< first instruction not yet counted

  std::array<Split, Lanes> splits;
  unsigned splitCount = 0, current = 0;
  uint32_t present = 0; ///< lanes that exist (the last warp may have fewer)
  uint32_t exited = 0;
  bool mayHaveOtherRows =
      false; ///< rows have to be compared with what compiled code expects: lanes have been in more than one
             ///< split, or an index has wrapped around
  unsigned index = 0;

  uint32_t exchange[Lanes][4] = {}; ///< values that lanes exchange in shuffles, votes and matches
  std::vector<PendingCopy> copies;
  std::vector<PendingBulk> bulks;
  std::array<uint32_t, Lanes> copyGroup{}, bulkGroup{}; ///< groups committed so far
  std::array<uint64_t, Lanes> clusterGeneration{};      ///< of the last barrier.cluster.arrive

  void start(Block &owner, unsigned warpIndex, uint32_t lanes);
  void begin(Frame *root);
  bool hasBegun = false; ///< false until an instruction is executed by its handler
  /// `entered`: it was in compiled code already.
  SliceEnd slice(uint32_t budget, CompiledStart &start, std::optional<EnteredCode> entered);

  template <class T> T *row(Loc loc) { return reinterpret_cast<T *>(base[loc >> 30] + (loc & LocOffset)); }
  uint32_t &pred(Loc loc) { return *row<uint32_t>(loc); }
  /// The value of a uniform operand as the first lane of the mask has it.
  uint32_t uniform32(Loc loc, uint32_t mask) { return row<uint32_t>(loc)[firstLane(mask)]; }

  Split &now() { return splits[current]; }
  Frame &frame() { return *now().frame; }
  const Code &code() { return *now().frame->code; }
  uint32_t alive() const { return present & ~exited; }

  // Memory (Locate.cpp)
  /// Addresses of the instruction's lanes, offset included.
  void addresses(const Inst &in, uint64_t *out);
  /// Host pointers for `bytes` from each lane's address; false after reporting a fault.
  bool locate(const Inst &in, uint32_t mask, uint32_t bytes, bool write, Pointers &out);
  void noteAccess(const Inst &in, uint32_t mask, const uint64_t *address, MemorySpace space, uint32_t bytes,
                  AccessKind kind, Scope scope, Ordering ordering, const Pointers *at = nullptr,
                  const StoredRows *stored = nullptr);
  bool locateAt(const Inst &in, uint32_t mask, const uint64_t *address, MemorySpace space, uint32_t bytes,
                uint32_t alignment, bool write, Pointers &out);
  uint8_t *localMemory(unsigned lane) { return local.data() + size_t(lane) * localStride; }
  bool growLocal(const Inst &in, uint32_t mask, uint32_t bytes);

  // Splits (Splits.cpp)
  void park(const Inst &in, SplitState state);
  /// These lanes of the current split become a split that goes from `in` to pc.
  void separate(const Inst &in, uint32_t lanes, uint32_t pc);
  void removeCurrent();
  void lanesExit(const Inst &in, uint32_t mask);
  bool mustReschedule();
  Flow awaitMembers(const Inst &in, uint32_t mask, Loc members, uint16_t kind);
  void completeWarpSyncs();

  // Calls (ExecCall.cpp)
  Frame *pushFrame(const Code &callee, Frame *caller, uint32_t mask);
  void dropFrame(Frame *frame);
  void useFrame(Frame *frame);

  // Reports (Report.cpp)
  Flow fault(const Inst &in, uint32_t lanes, FaultKind kind, std::string text,
             std::vector<std::string> details = {});
  Flow misused(const Inst &in, uint32_t lanes, Misuse misuse, std::string text,
               std::vector<std::string> details = {});
  Flow faultAt(const Inst &in, unsigned lane, FaultKind kind, uint64_t address, std::string text,
               std::vector<std::string> details = {});
  ThreadPlace placeOf(unsigned lane) const;
  WarpRef ref() const;
  SiteRef siteOf(const Inst &in) { return {&code().sourceOf(in), in.site}; }

  void finishCopies(unsigned lane, uint32_t groupsLeft);
  void finishBulks(unsigned lane, uint32_t groupsLeft);
  void flush(const Inst *last); ///< counts what ran since `segment`

  std::vector<uint8_t> local; ///< one range per lane
  uint32_t localStride = 0;

private:
  friend class WholeWarps;
  enum class Watch : uint8_t { Nobody, Observer, Steering };
  template <Watch W> Flow run(uint32_t &budget);
  Frame *rootFrame();
  // CompiledRun.cpp
  std::optional<EnteredCode> enterFromStart(CompiledStart &start, uint32_t &budget);
  Flow runCompiled(const CompiledCode &compiled, std::optional<EnteredCode> entered, uint32_t &budget);
  bool hasExpectedRows(const CompiledVersion &version, uint32_t entry, uint32_t mask);
  EnteredCode enterCompiled(uint64_t (*run)(CompiledState *, uint32_t), uint32_t entry, uint32_t spent,
                            uint32_t &budget);
  EnteredCode leftCompiled(CompiledState &state, uint64_t result, uint64_t lanes, uint32_t &budget);
  void prepare(CompiledState &state, uint32_t lanes, uint32_t budget);
  void separateApart(const CompiledState &state, uint32_t pc);
  uint32_t orderLimit() const;
  void noteBlock(const Inst &leader);
  bool pick();
  void absorbEqual();
  bool considerSpin(Split &split);
  uint64_t hashState(const Split &split) const;
  void fillSpecials();
  bool tryCompleteWarpSync(uint32_t members, uint16_t kind);

  std::vector<std::unique_ptr<Frame>> frames; ///< all that this warp has created
  std::vector<Frame *> idleFrames;
  Frame *unusedRoot = nullptr; ///< as rootFrame made it: the warp has ended in compiled code without using it
  std::vector<uint8_t> specialRows;
  const Inst *awaited = nullptr; ///< seen by observers, but waits until earlier blocks have finished
};

/// Warp-level operations (shuffle, vote...) run in two steps, because lanes may be at different instructions: each
/// lane provides its value (show), and when all have arrived, each lane computes its result (take).
struct WarpSync {
  void (*show)(Warp &, const Inst &, uint32_t mask);
  Flow (*take)(Warp &, const Inst &, uint32_t mask, uint32_t here);
};
const WarpSync &meetOf(const Inst &in); ///< selected by Inst::elements

} // namespace heddle::vm
