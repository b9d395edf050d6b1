// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace heddle {

/// Where a CUDA toolkit may be, the most likely first: $CUDA_PATH, $CUDA_HOME, $CUDA_ROOT, the one whose nvcc
/// is on the PATH, /usr/local/cuda, /opt/cuda. None of them need exist.
std::vector<std::filesystem::path> toolkitFolders();

/// nvcc: the one on the PATH, else that of the first of those folders that has one.
std::optional<std::filesystem::path> findNvcc();

} // namespace heddle
