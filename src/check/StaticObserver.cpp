// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticObserver.h"

#include "vm/Lanes.h"
#include "vm/Launch.h"

#include <algorithm>

namespace heddle::check {

using namespace vm;

bool StaticObserver::tells() {
  perhaps |= steering.isPerhaps();
  doubt |= perhaps;
  return !steering.isPerhaps() || !certain;
}

/// The engine forgives writes that leave memory as it is. Whether one does is not known of unknown values:
/// they count as different. Where only what is certain is asked for, those of one and the same instruction
/// count as equal, for it is common that all threads store what they all have; those of two instructions
/// still count as different.
void StaticObserver::settleValues(uint32_t site, AccessEvent &event) {
  const bool unknown = event.mask & steering.unknownValues(), over = event.mask & steering.unknownBefore();
  if (!event.stored || !(unknown || over))
    return;
  doubt = true;
  if (!certain) {
    event.at = nullptr;
    event.stored = unknown ? nullptr : event.stored;
    return;
  }
  static const uint8_t zeros[8 * Lanes] = {};
  static const StoredRows zeroRows = [] {
    StoredRows rows;
    std::fill(std::begin(rows.row), std::end(rows.row), zeros);
    rows.elements = 8, rows.registerBytes = rows.elementBytes = 8;
    return rows;
  }();
  if (unknown)
    event.stored = &zeroRows;
  const StoredRows &rows = *event.stored;
  eachLane(event.mask, [&](unsigned lane) {
    const bool differs = writtenByAnother(site, event.addresses[lane], event.bytes);
    for (unsigned b = 0; b < event.bytes && b < sizeof held[lane]; ++b) {
      const unsigned element = b / rows.elementBytes;
      const uint8_t *row = element < rows.elements ? rows.row[element] : nullptr;
      held[lane][b] = uint8_t((row ? row[lane * rows.registerBytes + b % rows.elementBytes] : 0) + differs);
    }
    heldAt[lane] = held[lane];
  });
  event.at = heldAt;
}

bool StaticObserver::writtenByAnother(uint32_t site, uint64_t address, uint32_t bytes) const {
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
    if (word < writers.size() && writers[word] && writers[word] != site + 1)
      return true;
  return false;
}

void StaticObserver::rememberWriters(uint32_t site, const AccessEvent &event) {
  eachLane(event.mask, [&](unsigned lane) {
    const uint64_t last = (event.addresses[lane] + event.bytes - 1) / 4;
    if (last >= writers.size())
      writers.resize(last + 1, 0);
    for (uint64_t word = event.addresses[lane] / 4; word <= last; ++word)
      writers[word] = steering.unknownValues() >> lane & 1 ? site + 1 : 0;
  });
}

void StaticObserver::access(const WarpRef &warp, SiteRef site, const AccessEvent &event) {
  if (event.space == Space::Global && !steering.isPerhaps())
    engine.access(warp, site, event);
  if (event.space != Space::Shared || !tells())
    return;
  AccessEvent plain = event;
  if (plain.ordering > Ordering::Relaxed)
    plain.ordering = Ordering::Relaxed;
  settleValues(site.site, plain);
  engine.access(warp, site, plain);
  if (certain && event.kind == AccessKind::Store)
    rememberWriters(site.site, event);
}

void StaticObserver::async(const WarpRef &warp, SiteRef site, const AsyncEvent &event) {
  if (event.kind != AsyncEvent::Kind::Issue || tells())
    engine.async(warp, site, event);
}

/// The end of an execution that we gave up ourselves is nobody's fault.
void StaticObserver::kernelEnd(const LaunchResult &result) {
  LaunchResult told = result;
  if (steering.gaveUp()) {
    told.status = LaunchStatus::Ok;
    told.fault.reset();
  }
  engine.kernelEnd(told);
}

} // namespace heddle::check
