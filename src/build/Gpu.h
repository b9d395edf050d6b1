// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first GPU of this machine, as NVIDIA's driver reports it. The driver is only asked, through its library.
#pragma once

#include <optional>
#include <string>

namespace heddle::build {

/// Empty where NVIDIA's driver is installed and has a device, else what is missing.
std::string whyNoGpu();
inline bool hasGpu() { return whyNoGpu().empty(); }

/// The GPU's name ("NVIDIA H200"); empty where there is none.
std::string gpuName();
unsigned gpuCount();

/// "9.0": what machine code the GPU runs.
struct ComputeCapability {
  int major = 0, minor = 0;
};
/// Nothing where there is no GPU, or a driver that does not say.
std::optional<ComputeCapability> gpuCapability();

} // namespace heddle::build
