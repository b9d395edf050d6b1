// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticOrigins.h"
#include "vm/Code.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace heddle::check {

/// How an instruction treats unknown lanes. Plain: a result is unknown where a source is.
enum class TaintRule : uint8_t {
  Plain,
  Carry,   ///< Plain, and the condition code is a source, a result, or both
  AndBits, ///< 0 & unknown is 0
  OrBits,
  AndPred,
  OrPred,
  Product, ///< 0 * unknown is 0; with a third source: that is added
  Cancel,  ///< x - x, x ^ x
  Select,
  Compare, ///< setp that joins a predicate: false and unknown is false
  IsSpace,
  ActiveMask,
  Load,
  Store,
  Atomic,
  Image,
  Barrier,
  ClusterBarrier,
  WarpSync,   ///< shuffles, votes and relatives
  Product8x8, ///< matrix products: whole warps, results are data
  MatrixLoad,
  MatrixStore,
  Mbarrier,
  CopyAsync,
  BulkCopy,
  ArriveOnCopies,
  Order,       ///< fences, groups of copies
  Stack,       ///< alloca and relatives
  NotFollowed, ///< nothing can be decided about a kernel that executes it
  Branch,
  Table,
  Leave, ///< exit, and ret
  Trap,
  Call,
};

/// What taint tracking needs to know of one PTX instruction, found once.
struct TaintStep {
  TaintRule rule = TaintRule::Plain;
  bool afterWait = false;      ///< the guard holds whether a wait was over already
  bool isPolled = false;       ///< a loop waits for what this load reads to change
  uint8_t carries = 0;         ///< Carry: 1 reads the condition code, 2 writes it
  uint16_t dsts = 0, srcs = 0; ///< registers in TaintPlan::registers; kNone for a sink
  uint32_t first = 0;
  uint32_t guard = ~0u;   ///< register
  uint32_t address = ~0u; ///< register of the memory address; none: it is fixed
  Origins special = 0;    ///< special registers among the sources that are not known
};

/// The steps of one function.
struct TaintPlan {
  const vm::Code *code = nullptr;
  std::vector<TaintStep> steps;    ///< for each PTX instruction
  std::vector<uint32_t> registers; ///< destinations, then sources, of each step
  std::vector<uint32_t> startOf;   ///< for each PTX instruction its first inst
};

/// `special` says what a special register depends on, 0 where it is known.
TaintPlan planTaint(const vm::Code &code, const std::function<Origins(ptx::SpecialReg)> &special);

} // namespace heddle::check
