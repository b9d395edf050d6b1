// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Paths.h"

#include <cstdlib>
#include <stdexcept>
#include <stdlib.h>
#include <string>

namespace fs = std::filesystem;

namespace heddle {

fs::path dataFolder(std::string_view name) {
  std::error_code ignored;
  auto existing = [&](const fs::path &root) {
    return fs::is_directory(root / name, ignored) ? root / name : fs::path();
  };

  if (const char *given = std::getenv("HEDDLE_DATA"))
    if (fs::path found = existing(given); !found.empty())
      return found;
  fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (fs::path found = existing(program.parent_path().parent_path() / "share" / "heddle"); !found.empty())
    return found;
  return existing(HEDDLE_SOURCE_DIR);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "heddle-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("cannot make a temporary folder at " + pattern);
  folder = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

} // namespace heddle
