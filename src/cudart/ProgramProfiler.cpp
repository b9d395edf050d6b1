// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/ProgramProfiler.h"

#include "cudart/Report.h"

namespace heddle::cudart {
namespace {

/// Vectors of every thread are kept for each launch that is watched, so programs that launch a kernel
/// thousands of times are watched for so many; the others are counted, and the report says so.
constexpr unsigned MostProfiledLaunches = 16;

} // namespace

ProgramProfiler::ProgramProfiler(std::string resultFile, const arch::Arch &simulatorArch)
    : LaunchWatch(simulatorArch, MostProfiledLaunches), file(std::move(resultFile)) {}

divergence::Inputs ProgramProfiler::codeOf(const vm::Kernel &kernel) const {
  return divergence::kernelInputs(kernel);
}

void ProgramProfiler::writeAll(divergence::ProgramProfile &profile) const {
  if (!divergence::writeProfile(file, profile))
    report("cannot write the profile '" + file + "'");
}

} // namespace heddle::cudart
