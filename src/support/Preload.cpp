// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Preload.h"

#include <cstdlib>

namespace heddle {

std::vector<std::string> preloading(const std::filesystem::path &library) {
  if (library.string().find(' ') == std::string::npos)
    return {"LD_PRELOAD=" + library.string()};
  std::string folders = library.parent_path().string();
  if (const char *others = std::getenv("LD_LIBRARY_PATH"); others && *others)
    folders += std::string(":") + others;
  return {"LD_PRELOAD=" + library.filename().string(), "LD_LIBRARY_PATH=" + folders};
}

} // namespace heddle
