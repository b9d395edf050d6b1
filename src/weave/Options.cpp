// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weave/Options.h"

#include <algorithm>

namespace heddle::weave {

namespace {

constexpr unsigned rowBytes = 32 * sizeof(double);

} // namespace

unsigned WeaveOptions::rowBudget() const {
  const unsigned block = machine.sharedBytes / std::max(ctas, 1u);
  const unsigned taken = machine.sharedBytesKept + otherSharedBytes;
  return block > taken ? (block - taken) / rowBytes : 0;
}

unsigned WeaveOptions::registerBudget() const {
  const unsigned threads = 32 * std::max(warps, 1u) * std::max(ctas, 1u);
  return std::min(machine.registers / threads / machine.registerUnit * machine.registerUnit,
                  machine.registersOfThread);
}

unsigned WeaveOptions::barrierBudget() const { return std::max(machine.barriers / std::max(ctas, 1u), 1u); }

} // namespace heddle::weave
