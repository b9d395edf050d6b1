// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"

#include <nlohmann/json.hpp>

namespace heddle::runner {

/// Which kernel, in which shape, how often: what a program's report and a result have in common.
inline KernelTime configurationFrom(const nlohmann::json &json) {
  KernelTime time;
  time.kernel = json.at("kernel");
  for (size_t i = 0; i < 3; ++i) {
    time.grid[i] = json.at("grid").at(i);
    time.block[i] = json.at("block").at(i);
  }
  time.launches = json.at("launches");
  return time;
}

} // namespace heddle::runner
