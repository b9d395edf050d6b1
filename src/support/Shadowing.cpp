// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Shadowing.h"

namespace fs = std::filesystem;

namespace heddle {

std::set<std::string> shadowing(const fs::path &folder, const std::vector<std::string> &headers) {
  std::set<std::string> names, files;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored))
    names.insert(entry.path().filename().string());
  if (names.empty())
    return files;
  // An #include may name any number of the last parts of a header's path.
  for (const fs::path header : headers)
    for (auto part = header.begin(); part != header.end(); ++part) {
      if (!names.contains(part->string()))
        continue;
      fs::path other = folder;
      for (auto rest = part; rest != header.end(); ++rest)
        other /= *rest;
      if (fs::exists(other, ignored) && !fs::equivalent(other, header, ignored))
        files.insert(other.string());
    }
  return files;
}

} // namespace heddle
