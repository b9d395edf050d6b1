// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShortPlace.h"

#include <filesystem>

namespace heddle::cli {

void shorten(Place &place) {
  namespace fs = std::filesystem;
  if (!place.isKnown() || !fs::path(place.file).is_absolute())
    return;
  std::error_code error;
  const fs::path near = fs::relative(place.file, fs::current_path(), error);
  if (!error && !near.empty() && *near.begin() != "..")
    place.file = near.string();
}

} // namespace heddle::cli
