// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Facts.h"

namespace heddle::model {

std::vector<LaunchFacts> factsOf(const ProgramCounters &counters,
                                 const std::map<std::string, Compiled> &compiled) {
  std::vector<LaunchFacts> launches = counters.launches;
  for (LaunchFacts &launch : launches)
    if (auto found = compiled.find(launch.kernel); found != compiled.end()) {
      launch.registers = found->second.registers;
      launch.spillBytes = found->second.spillBytes;
    }
  return launches;
}

ProgramEstimate estimateProgram(const ProgramCounters &counters, const std::vector<LaunchFacts> &launches,
                                const arch::Arch &arch, double scale) {
  struct OfKernel {
    double micros = 0;
    uint64_t launches = 0;
  };
  std::map<std::string, OfKernel> kernels;
  ProgramEstimate made;
  for (const LaunchFacts &launch : launches) {
    const Estimate one = estimate(scaled(launch, scale > 0 ? scale : factorToFill(launch, arch)), arch);
    OfKernel &kernel = kernels[launch.kernel];
    kernel.micros += one.micros;
    ++kernel.launches;
    if (made.kernel.empty() || one.micros > made.slowest.micros)
      made.kernel = launch.kernel, made.slowest = one;
  }
  for (const auto &[name, kernel] : kernels) {
    made.micros += kernel.micros;
    if (auto more = counters.skipped.find(name); more != counters.skipped.end())
      made.micros += kernel.micros / double(kernel.launches) * double(more->second);
  }
  return made;
}

} // namespace heddle::model
