// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instrument/Layout.h"
#include "ptx/Module.h"
#include "support/Diagnostics.h"

#include <map>
#include <optional>
#include <string>

namespace heddle::instrument {

/// A load that decides which way a thread goes: of its first execution by each thread, the value is kept.
struct RecordedLoad {
  uint32_t input = 0;     ///< of divergence::inputsOf
  uint32_t threadRow = 0; ///< 1 for threads that have executed it
};

/// Where the counters of one function are. A row has one number for each thread of a thread block, or for each of its
/// warps.
struct CountedFunction {
  uint32_t threadRow = 0; ///< of its first basic block; the others follow
  uint32_t entryRow = 0;  ///< of warps: how often they entered the first basic block; the others follow
  uint32_t branchRow =
      0; ///< of warps: executions of the first branch, then how often its lanes diverged there; and so on
  std::vector<RecordedLoad> loads; ///< of a kernel; each has a row of values, from 0
  std::vector<uint32_t> branches;  ///< instructions whose executions are counted, in their order
};

/// PTX text with counters.
struct CountedPtx {
  std::string text;
  std::vector<CountedFunction> functions;    ///< by function of the module
  std::map<std::string, KernelRows> kernels; ///< by mangled name
};

/// Inserts counters into each function: executions of each basic block by each thread and by each warp, executions of
/// each branch under a condition by each warp, and how often its lanes diverged there.
///
/// `module` is what `text` was parsed to. Nothing, with the reason as an error, where the text cannot be instrumented.
std::optional<CountedPtx> addCounters(const std::string &text, const ptx::Module &module,
                                      Diagnostics &diagnostics);

} // namespace heddle::instrument
