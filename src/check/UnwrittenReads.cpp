// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/UnwrittenReads.h"

#include <algorithm>

namespace heddle::check {

void ReportedReads::add(const LaunchFacts &launch, uint32_t instrId, std::vector<uint64_t> addresses) {
  constexpr size_t Most = 1 << 20;
  if (final.count(instrId))
    return;
  if (remembered + addresses.size() > Most) {
    reads.erase(instrId);
    final.insert(instrId);
    return;
  }
  remembered += addresses.size();
  reads[instrId][&launch] = std::move(addresses);
}

void ReportedReads::wroteAfter(const LaunchFacts &reader, uint64_t begin, uint64_t end, Reporter &reporter) {
  for (auto &[instrId, launches] : reads) {
    const auto read = launches.find(&reader);
    if (read == launches.end())
      continue;
    const size_t gone =
        std::erase_if(read->second, [&](uint64_t at) { return at < end && at + MostBytes > begin; });
    remembered -= gone;
    if (gone && std::ranges::all_of(launches, [](const auto &launch) { return launch.second.empty(); }))
      reporter.withdraw(Rule::UninitializedGlobal, instrId);
  }
}

void UnwrittenReads::forget(uint64_t begin, uint64_t end) {
  // Reads are remembered by their first byte.
  const uint64_t first = begin < ReportedReads::MostBytes ? 0 : begin - ReportedReads::MostBytes + 1;
  for (auto at = reads.lower_bound(first); at != reads.end() && at->first < end;)
    at = reads.erase(at);
}

void UnwrittenReads::report(Rule rule, const LaunchFacts &launch, Reporter &reporter,
                            ReportedReads *reported) {
  // What another block of the cluster wrote is not followed.
  if (rule == Rule::UninitializedShared && launch.inClusters)
    reads.clear();
  std::map<uint32_t, std::vector<uint64_t>> byInstruction;
  for (auto &[address, read] : reads) {
    if (reported)
      byInstruction[read.instrId].push_back(address);
    // Code without a line is the compiler's own, such as copies of structs with the holes between their
    // members.
    if (reporter.locationOf(read.instrId).line && reporter.isNew(rule, read.instrId, 0))
      reporter.report(rule, launch, read.instrId, std::move(read.text), 0, {},
                      rule == Rule::UninitializedShared
                          ? "shared memory is not initialized when a block starts"
                          : "cudaMalloc does not initialize memory: copy to it or cudaMemset it first");
  }
  for (auto &[instrId, addresses] : byInstruction)
    reported->add(launch, instrId, std::move(addresses));
  reads.clear();
}

} // namespace heddle::check
