// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Counting.h"

#include "cudart/Report.h"

namespace heddle::cudart {
namespace {

/// Of a program that launches a kernel thousands of times so many say enough; the others are counted.
constexpr unsigned MostCountedLaunches = 256;

} // namespace

ProgramCounting::ProgramCounting(std::string resultFile, const arch::Arch &simulatorArch)
    : LaunchWatch(simulatorArch, MostCountedLaunches), file(std::move(resultFile)) {}

bool ProgramCounting::writeTo(const std::string &otherFile) {
  counts::ProgramCounters counters = take();
  counters.arch = arch.name;
  return counts::writeCounters(otherFile, counters);
}

counts::KernelCode ProgramCounting::codeOf(const vm::Kernel &kernel) const {
  return counts::codeOf(kernel, arch);
}

void ProgramCounting::writeAll(counts::ProgramCounters &counters) const {
  counters.arch = arch.name;
  if (!counts::writeCounters(file, counters))
    report("cannot write the counters '" + file + "'");
}

} // namespace heddle::cudart
