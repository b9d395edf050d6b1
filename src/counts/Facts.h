// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/FloatOperations.h"
#include "counts/LaunchFacts.h"

#include <cstdint>
#include <filesystem>

namespace heddle::counts {

/// All launches of a program, as the runtime writes them where HEDDLE_COUNTERS names a file.
struct ProgramCounters {
  std::string arch; ///< whose latencies the times of warps are of
  std::vector<LaunchFacts> launches;
  /// Kernels by name: how often they were launched beyond what is here.
  std::map<std::string, uint64_t> skipped;
  bool complete = false; ///< false: the program ended before the runtime could say that it did
};

/// All or nothing: the program may end at any time.
bool writeCounters(const std::filesystem::path &file, const ProgramCounters &counters);
bool readCounters(const std::filesystem::path &file, ProgramCounters &counters);

/// What ptxas reports for a kernel (analysis::KernelResources has it where there is a toolkit).
struct Compiled {
  unsigned registers = 0;
  uint64_t spillBytes = 0; ///< of a thread, stores and loads
};

/// The launches of a counters file, each with what ptxas reports for its kernel, by mangled name. Kernels that
/// ptxas was not asked about keep the runtime's estimate of registers.
std::vector<LaunchFacts> factsOf(const ProgramCounters &counters,
                                 const std::map<std::string, Compiled> &compiled);

/// A program's kernels by the model: the sum over its launches, those that were not looked at at the mean of
/// those of their kernel that were. `scale`: as of scaled(). Variants of one program are compared at one
/// scale, that of the original: factorToFill of each would give the one with fewer blocks more work.
struct ProgramEstimate {
  double micros = 0;
  /// The launch that takes longest.
  std::string kernel;
  model::Estimate slowest;
};
ProgramEstimate estimateProgram(const ProgramCounters &counters, const std::vector<LaunchFacts> &launches,
                                const arch::Arch &arch, double scale = 1);

/// By kernel: the sums of its launches, each made large enough to fill the device (factorToFill): what its
/// work waits for, whatever the size of the test. `launches` counts them.
struct KernelEstimate {
  model::Estimate
      sum; ///< micros, microsBy and bytes added up, limit the largest of them; occupancy of the first
  uint64_t launches = 0;
  double factor = 1;          ///< of the first launch
  FloatOperations operations; ///< of the launches at that size
};
std::map<std::string, KernelEstimate> estimateKernels(const std::vector<LaunchFacts> &launches,
                                                      const arch::Arch &arch);

} // namespace heddle::counts
