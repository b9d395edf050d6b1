// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/LaunchWatch.h"
#include "divergence/Profiler.h"

namespace heddle::cudart {

/// The profiler inside a program's runtime (HEDDLE_PROFILE): watches launches and writes what they did when
/// the program ends.
class ProgramProfiler final
    : public LaunchWatch<divergence::Profiler, divergence::Inputs, divergence::ProgramProfile> {
public:
  ProgramProfiler(std::string resultFile, const arch::Arch &simulatorArch);

private:
  divergence::Inputs codeOf(const vm::Kernel &kernel) const override;
  void writeAll(divergence::ProgramProfile &profile) const override;

  const std::string file;
};

} // namespace heddle::cudart
