// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers fuse a multiplication and an addition where they see fit, which may be at other places in another
// text of the same program. Results that differ for that reason alone are not different: where two programs
// differ, both are built and run once more with nothing fused, and that comparison counts.
#pragma once

#include <string>
#include <vector>

namespace heddle::verify {

/// Flags with which a compiler ("nvcc" or "clang") fuses nothing, on the device and on the host.
std::vector<std::string> unfusedFlags(const std::string &compiler);

} // namespace heddle::verify
