// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace heddle::tune {

/// How a kernel is launched, in numbers.
struct ReplayLaunch {
  std::string kernel; ///< mangled
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint64_t sharedBytes = 0; ///< dynamic
  bool isCooperative = false;
  bool operator==(const ReplayLaunch &) const = default;
};

} // namespace heddle::tune
