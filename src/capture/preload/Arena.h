// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/preload/FreeRanges.h"

#include <unordered_map>

namespace heddle::capture {

/// Memory behind addresses. Ranges are multiples of the granularity.
class Pages {
public:
  virtual ~Pages() = default;
  virtual bool map(uint64_t address, uint64_t bytes) = 0;
  virtual void unmap(uint64_t address, uint64_t bytes) = 0;
};

/// Allocates from a range of addresses that is fixed in every process, so that a pointer in captured data is true where
/// the data is restored.
class Arena {
public:
  Arena(Pages &pages, uint64_t base, uint64_t bytes, uint64_t granularity);

  /// 0 where there is no memory or no address left. Zero bytes are none of this class's requests.
  uint64_t allocate(uint64_t bytes);
  /// False where nothing begins at the address.
  bool free(uint64_t address);
  bool owns(uint64_t address) const { return address - base < bytes; }

private:
  bool isLarge(uint64_t wanted) const;
  uint64_t allocateLarge(uint64_t rounded);
  uint64_t allocateSmall(uint64_t rounded);

  Pages &pages;
  uint64_t base, bytes, granularity;
  FreeRanges unused;                            ///< not mapped
  FreeRanges small;                             ///< parts of mapped ranges that small allocations share
  std::unordered_map<uint64_t, uint64_t> taken; ///< rounded bytes by address
};

} // namespace heddle::capture
