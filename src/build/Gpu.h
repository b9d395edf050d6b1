// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::build {

/// True where NVIDIA's driver is installed and has a device. The driver is only looked at, through its
/// library.
bool hasGpu();

} // namespace heddle::build
