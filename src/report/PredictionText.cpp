// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/PredictionText.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

const char *meaningOf(const model::Estimate &estimate, model::Limit limit) {
  using enum model::Limit;
  switch (limit) {
  case Issue: return "the issue of instructions";
  case Arithmetic: return "its busiest arithmetic unit";
  case SharedMemory:
    return estimate.memoryShareOfPasses > 0.5 ? "L1 wavefronts of global accesses"
                                              : "wavefronts of shared memory and L1";
  case L2: return "the bandwidth of L2";
  case Dram: return "the bandwidth of DRAM";
  case Latency:
    return estimate.memoryShareOfLatency > 0.5 ? "the latency of global memory"
                                               : "the latency of its instructions";
  case Launch: return "being launched";
  }
  return "";
}

} // namespace

std::string predictionText(const model::Estimate &estimate) {
  model::Limit next = model::Limit::Launch;
  for (unsigned i = 0; i < model::Limits; ++i)
    if (model::Limit(i) != estimate.limit && estimate.microsBy[i] > estimate.microsBy[unsigned(next)])
      next = model::Limit(i);
  const auto shareOf = [&](model::Limit limit) {
    return 100 * estimate.microsBy[unsigned(limit)] / estimate.micros;
  };
  std::string text =
      fmt::format("{}: {} ({:.0f} % of the predicted time)", estimate.isMemoryBound() ? "memory" : "compute",
                  meaningOf(estimate, estimate.limit), shareOf(estimate.limit));
  if (next != estimate.limit && next != model::Limit::Launch)
    text += fmt::format(", next: {} ({:.0f} %)", meaningOf(estimate, next), shareOf(next));
  return text;
}

} // namespace heddle::report
