// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TestPaths.h"
#include "arch/Arch.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace heddle::arch {

/// The tables of this tree, whatever HEDDLE_DATA says.
inline const std::vector<Arch> &tables() {
  static const std::vector<Arch> all = [] {
    Diagnostics diagnostics;
    std::vector<Arch> loaded = loadArchs(std::filesystem::path(HEDDLE_SOURCE_DIR) / "arch", diagnostics);
    print(std::cerr, diagnostics, false);
    EXPECT_TRUE(diagnostics.empty());
    return loaded;
  }();
  return all;
}

inline const Arch &table(std::string_view name) {
  Diagnostics diagnostics;
  const Arch *found = findArch(name, tables(), diagnostics);
  if (!found)
    throw std::runtime_error("no table for " + std::string(name));
  return *found;
}

inline std::string messages(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

} // namespace heddle::arch
