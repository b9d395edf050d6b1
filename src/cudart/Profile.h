// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "divergence/Profiler.h"
#include "vm/Launch.h"

#include <map>
#include <memory>
#include <mutex>

namespace heddle::cudart {

/// The profiler inside a program's runtime (HEDDLE_PROFILE): watches launches and writes what they did when
/// the program ends.
class ProgramProfiler {
public:
  ProgramProfiler(std::string resultFile, const arch::Arch &machineArch)
      : file(std::move(resultFile)), arch(machineArch) {}

  /// Who watches this launch; null where its kernel was watched often enough.
  std::unique_ptr<divergence::Profiler> watch(const vm::LaunchRequest &request);
  void launchEnded(divergence::Profiler &profiler, const vm::LaunchRequest &request,
                   const vm::LaunchResult &result);
  void write();

private:
  const std::string file;
  const arch::Arch &arch;
  std::mutex guard;
  std::map<const vm::Kernel *, divergence::Inputs> inputs;
  std::map<std::string, unsigned> watched; ///< by kernel
  divergence::ProgramProfile profile;
};

} // namespace heddle::cudart
