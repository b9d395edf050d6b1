// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/AccessCounter.h"
#include "cudart/LaunchWatch.h"
#include "cudart/Report.h"

namespace heddle::cudart {

/// Counts each access of the program's kernels (HEDDLE_ACCESSES) and writes the counts when the program ends.
class AccessWatch final
    : public LaunchWatch<counts::AccessCounter, counts::AccessCounter::Code, counts::ProgramAccesses> {
public:
  AccessWatch(std::string resultFile, const arch::Arch &simulatorArch)
      : LaunchWatch(simulatorArch, MostWatchedLaunches), file(std::move(resultFile)) {}

private:
  /// Of each kernel.
  static constexpr unsigned MostWatchedLaunches = 256;

  counts::AccessCounter::Code codeOf(const vm::Kernel &kernel) const override {
    return counts::AccessCounter::codeOf(kernel);
  }
  void writeAll(counts::ProgramAccesses &accesses) const override {
    if (!counts::writeAccesses(file, accesses))
      report("cannot write the accesses '" + file + "'");
  }

  const std::string file;
};

} // namespace heddle::cudart
