// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/LaunchWatch.h"
#include "model/Facts.h"
#include "model/LaunchCounter.h"

namespace heddle::cudart {

/// The counters inside a program's runtime (HEDDLE_COUNTERS): watches launches and writes what they needed
/// when the program ends.
class ProgramCounting final
    : public LaunchWatch<model::LaunchCounter, model::KernelCode, model::ProgramCounters> {
public:
  ProgramCounting(std::string resultFile, const arch::Arch &machineArch);

private:
  model::KernelCode codeOf(const vm::Kernel &kernel) const override;
  void writeAll(model::ProgramCounters &counters) const override;

  const std::string file;
};

} // namespace heddle::cudart
