// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates for bench/model/agree: a line of stdin for each kernel of a program, a line of stdout with what the model says.
//
//   in:  COUNTERS.json <tab> mangled kernel <tab> registers <tab> bytes spilled <tab> blocks of the launch to estimate
//   out: micros <tab> limit <tab> memory|compute <tab> micros by each limit; or nothing where the file has no such kernel
//
// A kernel that a program launches more than once counts with the mean of its launches.
#include "model/Facts.h"
#include "support/Diagnostics.h"

#include <iostream>
#include <sstream>

using namespace heddle;

namespace {

struct Wanted {
  std::string file, kernel;
  unsigned registers = 0;
  uint64_t spillBytes = 0;
  double blocks = 0;
};

std::string answer(const Wanted &wanted, const arch::Arch &arch) {
  model::ProgramCounters counters;
  if (!model::readCounters(wanted.file, counters))
    return "";
  const auto launches = model::factsOf(counters, {{wanted.kernel, {wanted.registers, wanted.spillBytes}}});
  double micros = 0, by[model::Limits] = {};
  unsigned count = 0;
  model::Estimate last;
  for (const model::LaunchFacts &launch : launches) {
    if (launch.kernel != wanted.kernel)
      continue;
    last = model::estimate(model::scaled(launch, wanted.blocks / launch.blocks()), arch);
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
    words >> wanted.registers >> wanted.spillBytes >> wanted.blocks;
    std::cout << answer(wanted, *arch) << '\n';
  }
}
