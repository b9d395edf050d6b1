// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates for bench/model/agree: a line of stdin for each kernel of a program, a line of stdout with what
// the model says.
//
//   in:  COUNTERS.json <tab> mangled kernel <tab> registers <tab> bytes spilled <tab> factor to scale the launch by
//   out: a JSON object: `micros`, `limit`, `bound` (memory or compute), and what the prediction is made of (bench/model/formula.py);
//        nothing where the file has no such kernel
//
// A kernel that a program launches more than once counts with the mean of its largest launches: those that
// were timed.
#include "counts/Facts.h"
#include "model/Thresholds.h"
#include "support/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <sstream>

using namespace heddle;

namespace {

struct Wanted {
  std::string file, kernel;
  unsigned registers = 0;
  uint64_t spillBytes = 0;
  double factor = 1;
};

using model::Estimate, model::LaunchWork, model::Limit;

/// The terms of the formula, in microseconds (`waves`: a number), without the constants that are fitted.
std::map<std::string, double> termsOf(const counts::LaunchFacts &facts, const arch::Arch &arch) {
  namespace constants = model::threshold::launch;
  const LaunchWork work = counts::workOf(facts);
  const Estimate made = model::estimate(work, arch);
  auto by = [&](const Estimate &estimate, Limit limit) { return estimate.microsBy[unsigned(limit)]; };
  LaunchWork withoutAtomics = work;
  withoutAtomics.hottestAtomics = 0;
  const model::LatencyParts &latency = made.latency;
  const double longestChain = work.longestBlock.cycles / arch.deviceClockMhz;
  return {{"issue", by(made, Limit::Issue)},
          {"arithmetic", by(made, Limit::Arithmetic)},
          {"shared", by(made, Limit::SharedMemory)},
          {"l2", by(model::estimate(withoutAtomics, arch), Limit::L2) * constants::l2Efficiency},
          {"atomics", work.hottestAtomics / constants::hotAtomicsPerCycle / arch.deviceClockMhz},
          {"dram", by(made, Limit::Dram) * constants::dramEfficiency},
          {"waves", latency.waves},
          {"chain", latency.chainMicros / constants::loadedChain},
          {"wait", latency.waitMicros / constants::loadedLatency},
          {"barriers", latency.barrierMicros},
          {"longest_chain", longestChain},
          {"longest_wait",
           (latency.longestMicros - longestChain * constants::loadedChain) / constants::loadedLatency},
          {"dispatch", latency.dispatchMicros},
          {"launch", by(made, Limit::Launch)}};
}

std::string answer(const Wanted &wanted, const arch::Arch &arch) {
  counts::ProgramCounters counters;
  if (!counts::readCounters(wanted.file, counters))
    return "";
  const auto launches = counts::factsOf(counters, {{wanted.kernel, {wanted.registers, wanted.spillBytes}}});
  double most = 0, micros = 0;
  for (const counts::LaunchFacts &launch : launches)
    if (launch.kernel == wanted.kernel)
      most = std::max(most, launch.blocks());
  std::map<std::string, double> terms;
  unsigned count = 0;
  Estimate last;
  for (const counts::LaunchFacts &launch : launches) {
    if (launch.kernel != wanted.kernel || launch.blocks() < most)
      continue;
    const counts::LaunchFacts atSize = counts::scaled(launch, wanted.factor);
    last = counts::estimate(atSize, arch);
    micros += last.micros;
    for (const auto &[name, one] : termsOf(atSize, arch))
      terms[name] += one;
    ++count;
  }
  if (!count)
    return "";
  nlohmann::ordered_json out = {{"micros", micros / count},
                                {"limit", model::nameOf(last.limit)},
                                {"bound", last.isMemoryBound() ? "memory" : "compute"}};
  for (const auto &[name, one] : terms)
    out[name] = one / count;
  return out.dump();
}

} // namespace

int main() {
  Diagnostics diagnostics;
  const std::optional<arch::Arch> arch = arch::findArch("sm_90", diagnostics);
  if (!arch) {
    print(std::cerr, diagnostics, false);
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Wanted wanted;
    std::getline(words, wanted.file, '\t');
    std::getline(words, wanted.kernel, '\t');
    words >> wanted.registers >> wanted.spillBytes >> wanted.factor;
    std::cout << answer(wanted, *arch) << '\n';
  }
}
