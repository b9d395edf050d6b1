// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The flags that Clang needs to compile CUDA with our own headers: the flags of one section ("all", "device",
/// "host") of runtime/cuda/flags.txt, which says what each is for. `arch` is "sm_90" or its like; `ptx` the
/// file that the "host" section embeds. Empty where the headers are not there.
std::vector<std::string> ownCudaFlags(std::string_view section, const std::string &arch,
                                      const std::filesystem::path &ptx = {});

} // namespace heddle
