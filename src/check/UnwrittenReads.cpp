// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/UnwrittenReads.h"

namespace heddle::check {

void UnwrittenReads::forget(uint64_t address) {
  // Reads are remembered by their first byte, and none has more than 16.
  for (auto at = reads.lower_bound(address < 15 ? 0 : address - 15);
       at != reads.end() && at->first < address + 16;)
    at = reads.erase(at);
}

void UnwrittenReads::report(Rule rule, const LaunchFacts &launch, Reporter &reporter) {
  // What another block of the cluster wrote is not followed.
  if (rule == Rule::UninitializedShared && launch.inClusters)
    reads.clear();
  for (auto &[address, read] : reads)
    // Code without a line is the compiler's own, such as copies of structs with the holes between their
    // members.
    if (reporter.locationOf(read.instrId).line && reporter.isNew(rule, read.instrId, 0))
      reporter.report(rule, launch, read.instrId, std::move(read.text), 0, {},
                      rule == Rule::UninitializedShared
                          ? "shared memory holds nothing in particular when a block starts"
                          : "cudaMalloc leaves memory as it is: copy or cudaMemset something there first");
  reads.clear();
}

} // namespace heddle::check
