// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Files.h"

#include <fstream>
#include <sstream>

namespace heddle {

std::string contentsOf(const std::filesystem::path &file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace heddle
