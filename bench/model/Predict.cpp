// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates for bench/model/agree: a line of stdin for each kernel of a program, a line of stdout with what
// the model says.
//
//   in:  COUNTERS.json <tab> mangled kernel <tab> registers <tab> bytes spilled <tab> factor to scale the
//   launch by out: micros <tab> limit <tab> memory|compute <tab> micros by each limit; or nothing where the
//   file has no such kernel
//
// A kernel that a program launches more than once counts with the mean of its largest launches: those that
// were timed.
#include "counts/Facts.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <iostream>
#include <sstream>

using namespace heddle;

namespace {

struct Wanted {
  std::string file, kernel;
  unsigned registers = 0;
  uint64_t spillBytes = 0;
  double factor = 1;
};

std::string answer(const Wanted &wanted, const arch::Arch &arch) {
  counts::ProgramCounters counters;
  if (!counts::readCounters(wanted.file, counters))
    return "";
  const auto launches = counts::factsOf(counters, {{wanted.kernel, {wanted.registers, wanted.spillBytes}}});
  double most = 0, micros = 0, by[model::Limits] = {};
  for (const counts::LaunchFacts &launch : launches)
    if (launch.kernel == wanted.kernel)
      most = std::max(most, launch.blocks());
  unsigned count = 0;
  model::Estimate last;
  for (const counts::LaunchFacts &launch : launches) {
    if (launch.kernel != wanted.kernel || launch.blocks() < most)
      continue;
    last = counts::estimate(counts::scaled(launch, wanted.factor), arch);
    micros += last.micros;
    for (unsigned i = 0; i < model::Limits; ++i)
      by[i] += last.microsBy[i];
    ++count;
  }
  if (!count)
    return "";
  std::ostringstream out;
  out << micros / count << '\t' << model::nameOf(last.limit) << '\t'
      << (last.isMemoryBound() ? "memory" : "compute");
  for (double one : by)
    out << '\t' << one / count;
  return out.str();
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
