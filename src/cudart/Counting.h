// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/Facts.h"
#include "counts/LaunchCounter.h"
#include "cudart/LaunchWatch.h"

namespace heddle::cudart {

/// The counters inside a program's runtime (HEDDLE_COUNTERS): watches launches and writes what they needed
/// when the program ends.
class ProgramCounting final
    : public LaunchWatch<counts::LaunchCounter, counts::KernelCode, counts::ProgramCounters> {
public:
  ProgramCounting(std::string resultFile, const arch::Arch &simulatorArch);
  /// Writes the launches since this was called last to another file. False where it cannot be written.
  bool writeTo(const std::string &otherFile);

private:
  counts::KernelCode codeOf(const vm::Kernel &kernel) const override;
  void writeAll(counts::ProgramCounters &counters) const override;

  const std::string file;
};

} // namespace heddle::cudart
