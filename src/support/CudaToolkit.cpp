// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CudaToolkit.h"

#include "support/Process.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace heddle {

std::vector<fs::path> toolkitFolders() {
  std::vector<fs::path> folders;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"})
    if (const char *value = std::getenv(variable))
      folders.emplace_back(value);
  std::error_code ignored;
  if (std::optional<fs::path> nvcc = findProgram("nvcc"))
    folders.push_back(fs::canonical(*nvcc, ignored).parent_path().parent_path());
  folders.emplace_back("/usr/local/cuda");
  folders.emplace_back("/opt/cuda");
  return folders;
}

std::optional<fs::path> findNvcc() {
  if (std::optional<fs::path> onPath = findProgram("nvcc"))
    return onPath;
  for (const fs::path &folder : toolkitFolders())
    if (std::optional<fs::path> nvcc = findProgram((folder / "bin" / "nvcc").string()))
      return nvcc;
  return std::nullopt;
}

} // namespace heddle
