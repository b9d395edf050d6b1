// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"
#include "source/Launch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::source {
class Program;
}

namespace heddle::verify {

/// What a file says about the launches of one kernel.
struct KernelLaunches {
  /// Launches with the same block and the same dynamic shared memory.
  struct Known {
    vm::Dim3 block;
    std::optional<uint32_t> dynamicSharedBytes = 0; ///< nothing: known at run time only
    vm::Dim3 mostBlocks = {0, 0, 0};                ///< the largest extent in each direction; 0 for unknown
    /// TripleChevron also for the other forms that start the kernel as it is.
    source::Launch::Form form = source::Launch::Form::TripleChevron;
    std::string whySharedUnknown;          ///< not empty where dynamicSharedBytes is nothing
    std::vector<SourceLocation> locations; ///< in source order
  };
  /// A launch whose block is known at run time only.
  struct Unknown {
    SourceLocation location;
    std::string why; ///< "'n' is a parameter of 'main'"
  };
  std::vector<Known> known; ///< in the order of their blocks
  std::vector<Unknown> unknown;
};

/// The launches of a file, by kernel.
class LaunchTable {
public:
  LaunchTable() = default;
  explicit LaunchTable(const source::Program &program);

  /// `mangledName` as any compiler has it. Without launches where the file has none of the kernel.
  const KernelLaunches &of(const std::string &mangledName) const;
  /// Whether the kernel is one of a system header (CUB has some) that the file does not launch: it is in the PTX because
  /// the header was included. Never where the launches are not known.
  bool isOnlyIncluded(const std::string &mangledName) const;

private:
  std::map<std::string, KernelLaunches> bySignature;
  std::set<std::string> ofTheFile; ///< signatures of all kernels outside system headers
  bool isRead = false;
};

/// The block that the kernel itself requires (`.reqntid`).
std::optional<vm::Dim3> requiredBlock(const ptx::Module &module, const std::string &kernel);

/// Checks the kernel for one block of such launches. Everything else is taken from `options`.
check::StaticResult checkLaunch(const ptx::Module &module, const std::string &kernel,
                                const KernelLaunches::Known &launch, check::StaticOptions options);

} // namespace heddle::verify
