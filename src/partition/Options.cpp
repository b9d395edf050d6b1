// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/Options.h"

#include <algorithm>

namespace heddle::partition {

namespace {

constexpr unsigned rowBytes = 32 * sizeof(double);

} // namespace

unsigned PartitionOptions::rowBudget() const {
  const unsigned block = multiprocessor.sharedBytes / std::max(ctas, 1u);
  const unsigned taken = multiprocessor.sharedBytesKept + otherSharedBytes;
  return block > taken ? (block - taken) / rowBytes : 0;
}

unsigned PartitionOptions::registerBudget() const {
  const unsigned threads = 32 * std::max(warps, 1u) * std::max(ctas, 1u);
  return std::min(multiprocessor.registers / threads / multiprocessor.registerUnit *
                      multiprocessor.registerUnit,
                  multiprocessor.registersOfThread);
}

unsigned PartitionOptions::barrierBudget() const {
  return std::max(multiprocessor.barriers / std::max(ctas, 1u), 1u);
}

} // namespace heddle::partition
