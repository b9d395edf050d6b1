// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "model/Facts.h"
#include "model/LaunchCounter.h"
#include "vm/Launch.h"

#include <map>
#include <memory>
#include <mutex>

namespace heddle::cudart {

/// The counters inside a program's runtime (HEDDLE_COUNTERS): watches launches and writes what they needed
/// when the program ends.
class ProgramCounting {
public:
  ProgramCounting(std::string resultFile, const arch::Arch &machineArch)
      : file(std::move(resultFile)), arch(machineArch) {}

  /// Who watches this launch; null where its kernel was watched often enough.
  std::unique_ptr<model::LaunchCounter> watch(const vm::LaunchRequest &request);
  void launchEnded(model::LaunchCounter &counter, const vm::LaunchRequest &request,
                   const vm::LaunchResult &result);
  void write();

private:
  const std::string file;
  const arch::Arch &arch;
  std::mutex guard;
  std::map<const vm::Kernel *, model::KernelCode> codes;
  std::map<std::string, unsigned> watched; ///< by kernel
  model::ProgramCounters counters;
};

} // namespace heddle::cudart
