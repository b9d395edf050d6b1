// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/LocalMemory.h"

#include "vm/Lanes.h"

#include <algorithm>

namespace heddle::check {

std::vector<uint32_t> &LocalMemory::bytesFor(unsigned warp, const vm::AccessEvent &event) {
  uint64_t end = 0;
  vm::eachLane(event.mask, [&](unsigned lane) { end = std::max(end, event.addresses[lane] + event.bytes); });
  if (written[warp].size() < end)
    written[warp].resize(end);
  return written[warp];
}

void LocalMemory::write(unsigned warp, const vm::AccessEvent &event) {
  std::vector<uint32_t> &bytes = bytesFor(warp, event);
  vm::eachLane(event.mask, [&](unsigned lane) {
    for (uint32_t b = 0; b < event.bytes; ++b)
      bytes[event.addresses[lane] + b] |= 1u << lane;
  });
}

void LocalMemory::read(const Where &at, const vm::AccessEvent &event, Reporter &reporter) {
  const std::vector<uint32_t> &bytes = bytesFor(at.warp, event);
  vm::eachLane(event.mask, [&](unsigned lane) {
    for (uint32_t b = 0; b < event.bytes; ++b)
      if (bytes[event.addresses[lane] + b] >> lane & 1)
        return;
    if (reporter.isNew(Rule::UninitializedLocal, at.instrId, 0))
      reporter.report(Rule::UninitializedLocal, at.launch, at.instrId,
                      fmt::format("{} reads {} bytes of a local variable that it has not written",
                                  at.threadText(lane), event.bytes));
  });
}

} // namespace heddle::check
