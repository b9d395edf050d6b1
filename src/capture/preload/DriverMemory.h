// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/preload/Arena.h"

#include <string>

namespace heddle::capture {

/// Device memory at addresses of our choice, by the driver's functions for virtual memory.
class DevicePages : public Pages {
public:
  struct Reserved {
    uint64_t bytes = 0, granularity = 0;
    std::string error; ///< why there is none
  };
  /// Reserves addresses from `base`: `mostBytes`, or half of that and so on.
  static Reserved reserve(uint64_t base, uint64_t mostBytes);

  bool map(uint64_t address, uint64_t bytes) override;
  void unmap(uint64_t address, uint64_t bytes) override;
};

/// Host memory at addresses of our choice that kernels may use by the same addresses.
class HostPages : public Pages {
public:
  static constexpr uint64_t granularity = 2 << 20;

  bool map(uint64_t address, uint64_t bytes) override;
  void unmap(uint64_t address, uint64_t bytes) override;
  /// Why map() failed last.
  const std::string &error() const { return whyNot; }

private:
  std::string whyNot;
};

} // namespace heddle::capture
