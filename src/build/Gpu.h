// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::build {

/// Empty where NVIDIA's driver is installed and has a device, else what is missing. The driver is only looked at, through
/// its library.
std::string whyNoGpu();
inline bool hasGpu() { return whyNoGpu().empty(); }

} // namespace heddle::build
