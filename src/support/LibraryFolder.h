// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

namespace heddle {

/// The folder of the libraries that programs and compilers load (libheddle_cudart.so and those beside it); empty where it is nowhere.
std::filesystem::path libraryFolder();

} // namespace heddle
