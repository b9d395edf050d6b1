// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Transcript.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace heddle::timing {

Transcript::Transcript() {
  if (const char *file = std::getenv("HEDDLE_TIMING_LOG"))
    log.open(file);
  unsetenv("HEDDLE_TIMING_LOG");
}

void Transcript::launched(const std::string &kernel, const Launch &launch, const Memory &memory) {
  ++launches;
  const KeptLaunch kept(launch);
  for (size_t i = 0; i < kept.arguments().size(); ++i) {
    const std::vector<char> &value = kept.arguments()[i];
    for (size_t at = 0; at + sizeof(void *) <= value.size(); at += sizeof(void *)) {
      const void *pointer = nullptr;
      std::memcpy(&pointer, value.data() + at, sizeof pointer);
      if (const Place place = memory.placeOf(pointer); place.allocation)
        uses[place.allocation] = {kernel, launches, int(i)};
    }
  }
}

void Transcript::broughtBack(const void *from, const Memory &memory, std::vector<uint8_t> bytes,
                             size_t rowBytes) {
  const Place place = memory.placeOf(from);
  trace::CopyRecord record;
  record.sequence = ++copies;
  record.launches = launches;
  record.allocation = place.allocation;
  record.allocationBytes = place.bytes;
  record.offset = place.offset;
  record.rowBytes = rowBytes;
  if (auto use = uses.find(place.allocation); use != uses.end()) {
    record.kernel = use->second.kernel;
    record.kernelLaunch = use->second.launch;
    record.kernelParameter = use->second.parameter;
  }
  record.bytes = std::move(bytes);
  log.write(record);
}

} // namespace heddle::timing
