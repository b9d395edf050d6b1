// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model/Estimate.h"

#include <string>

namespace heddle::report {

/// Why the model predicts what it predicts: "memory: the bandwidth of L2 (71 % of the predicted time), next: the latency of its
/// instructions (40 %)". Shares of limits that work at the same time add up to more than the time.
std::string predictionText(const model::Estimate &estimate);

} // namespace heddle::report
