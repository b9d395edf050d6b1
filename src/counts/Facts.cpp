// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/Facts.h"

#include <algorithm>

namespace heddle::counts {

using model::Estimate, model::Limit, model::Limits;

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
    const Estimate one = estimate(scaled(launch, scale), arch);
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

namespace {

/// A share of both together, before their times are added up.
void addShare(Estimate &sum, const Estimate &one, Limit limit, double Estimate::*share) {
  const double before = sum.microsBy[unsigned(limit)], more = one.microsBy[unsigned(limit)];
  if (before + more > 0)
    sum.*share = (sum.*share * before + one.*share * more) / (before + more);
}

} // namespace

std::map<std::string, KernelEstimate> estimateKernels(const std::vector<LaunchFacts> &launches,
                                                      const arch::Arch &arch) {
  std::map<std::string, KernelEstimate> kernels;
  for (const LaunchFacts &launch : launches) {
    const double factor = factorToFill(launch, arch);
    const LaunchFacts filled = scaled(launch, factor);
    const Estimate one = estimate(filled, arch);
    KernelEstimate &kernel = kernels[launch.kernel];
    Estimate &sum = kernel.sum;
    if (kernel.launches++ == 0)
      sum.occupancy = one.occupancy, kernel.factor = factor, sum.impossible = one.impossible;
    addShare(sum, one, Limit::Latency, &Estimate::memoryShareOfLatency);
    addShare(sum, one, Limit::SharedMemory, &Estimate::memoryShareOfPasses);
    sum.micros += one.micros;
    sum.l2Bytes += one.l2Bytes, sum.dramBytes += one.dramBytes;
    const FloatOperations operations = floatOperations(filled);
    kernel.operations.half += operations.half;
    kernel.operations.single += operations.single;
    kernel.operations.fp64 += operations.fp64;
    kernel.operations.calls += operations.calls;
    for (unsigned i = 0; i < Limits; ++i)
      sum.microsBy[i] += one.microsBy[i];
    sum.limit = Limit(std::max_element(sum.microsBy, sum.microsBy + Limits) - sum.microsBy);
  }
  return kernels;
}

} // namespace heddle::counts
