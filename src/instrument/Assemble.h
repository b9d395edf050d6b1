// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::instrument {

/// PTX as an image that NVIDIA's runtime loads, by ptxas and fatbinary of the toolkit of `nvcc`. Nothing, with the reason as an
/// error, where they refuse it.
std::optional<std::string> assemble(const std::string &ptx, const std::string &arch,
                                    const std::filesystem::path &nvcc, Diagnostics &diagnostics);

} // namespace heddle::instrument
