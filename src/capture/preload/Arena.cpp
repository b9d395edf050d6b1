// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large allocation gets physical memory of its own and gives it back when it is freed. Mapping takes some microseconds
// and at least one granule (2 MiB on a GPU), so small allocations share granules, which stay mapped. Small ones are
// aligned as cudaMalloc aligns; programs rely on that for vector types and textures.
#include "capture/preload/Arena.h"

#include <algorithm>

namespace heddle::capture {
namespace {

constexpr uint64_t kLargeBytes = 1 << 20;
constexpr uint64_t kAlignment = 512;

uint64_t roundedUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

} // namespace

Arena::Arena(Pages &pages, uint64_t base, uint64_t bytes, uint64_t granularity)
    : pages(pages), base(base), bytes(bytes), granularity(granularity) {
  unused.give(base, bytes);
}

bool Arena::isLarge(uint64_t wanted) const { return wanted >= std::min(kLargeBytes, granularity); }

uint64_t Arena::allocateLarge(uint64_t rounded) {
  const std::optional<uint64_t> address = unused.take(rounded);
  if (!address)
    return 0;
  if (pages.map(*address, rounded))
    return *address;
  unused.give(*address, rounded);
  return 0;
}

uint64_t Arena::allocateSmall(uint64_t rounded) {
  if (const std::optional<uint64_t> address = small.take(rounded))
    return *address;
  const uint64_t fresh = allocateLarge(granularity);
  if (!fresh)
    return 0;
  small.give(fresh, granularity);
  return *small.take(rounded);
}

uint64_t Arena::allocate(uint64_t wanted) {
  if (wanted > bytes) // rounding must not wrap
    return 0;
  const uint64_t rounded = roundedUp(wanted, isLarge(wanted) ? granularity : kAlignment);
  const uint64_t address = isLarge(wanted) ? allocateLarge(rounded) : allocateSmall(rounded);
  if (address)
    taken[address] = rounded;
  return address;
}

bool Arena::free(uint64_t address) {
  const auto found = taken.find(address);
  if (found == taken.end())
    return false;
  const uint64_t rounded = found->second;
  taken.erase(found);
  // A small allocation is never a multiple of the granularity: it is smaller than one granule.
  if (rounded % granularity == 0) {
    pages.unmap(address, rounded);
    unused.give(address, rounded);
  } else {
    small.give(address, rounded);
  }
  return true;
}

} // namespace heddle::capture
