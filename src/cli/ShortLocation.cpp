// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShortLocation.h"

#include <filesystem>

namespace heddle::cli {

void shorten(SourceLocation &location) {
  namespace fs = std::filesystem;
  if (!location.isKnown() || !fs::path(location.file).is_absolute())
    return;
  std::error_code error;
  const fs::path near = fs::relative(location.file, fs::current_path(), error);
  if (!error && !near.empty() && *near.begin() != "..")
    location.file = near.string();
}

} // namespace heddle::cli
