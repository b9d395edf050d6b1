// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/CudaFlags.h"

#include "support/Paths.h"

#include <fstream>
#include <utility>

namespace heddle {

std::vector<std::string> ownCudaFlags(std::string_view section, const std::string &arch,
                                      const std::filesystem::path &ptx) {
  const std::filesystem::path headers = dataFolder("runtime/cuda");
  const std::pair<std::string, std::string> places[] = {
      {"${RUNTIME}", headers.string()}, {"${ARCH}", arch}, {"${PTX}", ptx.string()}};
  std::ifstream file(headers / "flags.txt");
  std::vector<std::string> flags;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (line[0] == '[') {
      inside = line == "[" + std::string(section) + "]";
      continue;
    }
    for (const auto &[place, value] : places)
      if (size_t at = line.find(place); at != std::string::npos)
        line.replace(at, place.size(), value);
    if (inside)
      flags.push_back(line);
  }
  return flags;
}

} // namespace heddle
