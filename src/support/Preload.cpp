// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Preload.h"

#include <cstdlib>

namespace heddle {

std::filesystem::path sanitizerRuntime() {
#ifdef HEDDLE_SANITIZER_RUNTIME
  return HEDDLE_SANITIZER_RUNTIME;
#else
  return {};
#endif
}

std::vector<std::string> preloading(const std::filesystem::path &library) {
  const std::filesystem::path runtime = sanitizerRuntime();
  const std::string before = runtime.empty() ? "" : runtime.string() + " ";
  if (library.string().find(' ') == std::string::npos)
    return {"LD_PRELOAD=" + before + library.string()};
  std::string folders = library.parent_path().string();
  if (const char *others = std::getenv("LD_LIBRARY_PATH"); others && *others)
    folders += std::string(":") + others;
  return {"LD_PRELOAD=" + before + library.filename().string(), "LD_LIBRARY_PATH=" + folders};
}

} // namespace heddle
