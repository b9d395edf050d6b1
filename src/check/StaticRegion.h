// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// The code between a branch and the instruction where its paths reconverge: what a thread may or may not execute
/// when the outcome of the branch is unknown.
struct Region {
  uint32_t join = ptx::kNone;    ///< instruction where the paths reconverge; none: the function's end
  uint32_t leaving = ptx::kNone; ///< an instruction of the region that ends the thread or the function
  uint32_t sync = ptx::kNone;    ///< the first that synchronizes, or calls what does
  bool touchesShared = false;    ///< may load, store or copy to shared memory
  bool touchesGlobal = false;    ///< may load, store or update global memory
  bool touchesLocal = false;     ///< may load, store or update the thread's own memory
  bool storesLocal = false;      ///< may change the thread's own memory
  bool storesShared = false;     ///< may change shared memory
  bool acts = false;             ///< does more than wait: touches shared memory, arrives, ends threads
  bool polls = false;            ///< loops: ends when memory says so that other threads may change meanwhile
  bool loops = false;            ///< the branch may be reached again from inside
  bool hasLoop = false;          ///< there is a loop inside
  bool mayTrap = false; ///< there is a trap or a failed assertion, or the branch is taken to go another way
  bool actsBeforeTrap = false; ///< there are accesses or synchronization on the way to that trap
  bool plainSync = true;       ///< synchronizes by whole-block barriers and inside warps only
  bool warpSync = true;        ///< synchronizes inside warps only
  bool blockSync = true;       ///< synchronizes by whole-block barriers only
  bool fallsBack = false,
       jumpsBack = false;        ///< loops: whether one returns by falling through, or by jumping
  std::vector<uint32_t> written; ///< registers, each once
};

/// Whether block `to` can be reached from block `from` without passing block `join`.
bool reaches(const ptx::Function &function, uint32_t from, uint32_t to, uint32_t join);

/// Whether a thread that comes to this block leaves the function and does nothing else.
bool leavesAtOnce(const ptx::Function &function, uint32_t block);

/// What a call of a function may do.
struct Effects {
  bool syncs = false, touchesShared = false, touchesGlobal = false, touchesLocal = false, mayTrap = false;
};

/// Finds regions when they are asked for, and keeps them.
class Regions {
public:
  /// Where generic addresses may lead in a kernel.
  struct Generic {
    bool toShared = false, toLocal = false;
  };
  /// `mayChange`: whether other threads of the launch may write what a load or an atomic reads.
  Regions(const ptx::Module &parsed, Generic addresses,
          std::function<bool(const ptx::Function &, const ptx::Instr &)> mayChange)
      : module(parsed), generic(addresses), changes(std::move(mayChange)) {}

  /// Of a branch, or of a guarded exit: then the region is everything after it.
  const Region &of(const ptx::Function &function, uint32_t instr);
  Effects effectsOf(const ptx::Function &function);
  /// Whether a thread may access shared or global memory, synchronize or call something before it comes to the
  /// instruction.
  bool actsBefore(const ptx::Function &function, uint32_t instr);
  /// Loads and atomics that loops poll.
  const std::set<const ptx::Instr *> &polledIn(const ptx::Function &function);
  /// Whether the region of a branch has one of them.
  bool mayPoll(const ptx::Function &function, uint32_t branch);

private:
  Region find(const ptx::Function &function, uint32_t instr);
  void scan(const ptx::Function &function, uint32_t block, Region &region, std::vector<bool> &seen);
  const std::vector<bool> &endsWell(const ptx::Function &function);
  bool findTrap(const ptx::Function &function, const ptx::Block &branch, Region &region);
  bool synchronizes(const ptx::Function &function, const ptx::Instr &instr);
  bool touchesShared(const ptx::Function &function, const ptx::Instr &instr);
  bool touchesGlobal(const ptx::Function &function, const ptx::Instr &instr);
  bool touchesLocal(const ptx::Function &function, const ptx::Instr &instr);
  bool mayTrap(const ptx::Function &function, const ptx::Instr &instr);
  void scanInstruction(const ptx::Function &function, uint32_t index, Region &region);
  bool isPolling(const ptx::Function &function, uint32_t branch, const std::vector<bool> &blocks);

  const ptx::Module &module;
  const Generic generic;
  const std::function<bool(const ptx::Function &, const ptx::Instr &)> changes;
  std::unordered_map<const ptx::Instr *, std::unique_ptr<Region>> known;
  std::unordered_map<const ptx::Function *, Effects> effects;
  std::unordered_map<const ptx::Function *, std::vector<bool>> good;
  std::unordered_map<const ptx::Function *, std::set<const ptx::Instr *>> polled;
  std::unordered_map<const ptx::Instr *, bool> polling;
  std::set<const ptx::Function *> polledKnown; ///< all their loops have been looked at
};

} // namespace heddle::check
