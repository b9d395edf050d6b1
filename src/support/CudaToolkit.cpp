// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CudaToolkit.h"

#include "support/Process.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace heddle {

/// Those that the user names.
static std::vector<fs::path> foldersOfTheEnvironment() {
  std::vector<fs::path> folders;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"})
    if (const char *value = std::getenv(variable))
      folders.emplace_back(value);
  return folders;
}

static std::optional<fs::path> nvccIn(const std::vector<fs::path> &folders) {
  for (const fs::path &folder : folders)
    if (std::optional<fs::path> nvcc = findProgram((folder / "bin" / "nvcc").string()))
      return nvcc;
  return std::nullopt;
}

std::vector<fs::path> toolkitFolders() {
  std::vector<fs::path> folders = foldersOfTheEnvironment();
  std::error_code ignored;
  if (std::optional<fs::path> nvcc = findProgram("nvcc"))
    folders.push_back(fs::canonical(*nvcc, ignored).parent_path().parent_path());
  folders.emplace_back("/usr/local/cuda");
  folders.emplace_back("/opt/cuda");
  return folders;
}

std::optional<fs::path> findNvcc() {
  // As for headers, so that a program is not parsed with one toolkit and compiled with another.
  if (std::optional<fs::path> named = nvccIn(foldersOfTheEnvironment()))
    return named;
  if (std::optional<fs::path> onPath = findProgram("nvcc"))
    return onPath;
  return nvccIn(toolkitFolders());
}

} // namespace heddle
