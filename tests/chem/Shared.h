// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tests of the readers find real mechanisms and malformed files: a folder `shared` beside the
// source tree or further up. Tests that need it skip, visibly, where there is none.
#pragma once

#include "TestPaths.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace heddle::chem::test {

/// Empty where it is not there; $HEDDLE_SHARED names another.
inline std::filesystem::path sharedMechanisms() {
  namespace fs = std::filesystem;
  if (const char *named = std::getenv("HEDDLE_SHARED"))
    return fs::path(named) / "mechanisms";
  for (fs::path up = fs::path(HEDDLE_SOURCE_DIR).parent_path(); up != up.root_path(); up = up.parent_path())
    if (fs::exists(up / "shared" / "mechanisms"))
      return up / "shared" / "mechanisms";
  return {};
}

/// A mechanism of our own, which is always there.
inline std::filesystem::path hydrogenExample() {
  return std::filesystem::path(HEDDLE_SOURCE_DIR) / "examples" / "hydrogen";
}

/// All messages as they are printed.
inline std::string printed(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

} // namespace heddle::chem::test

#define SKIP_WITHOUT_SHARED()                                                                                \
  if (heddle::chem::test::sharedMechanisms().empty())                                                        \
  GTEST_SKIP() << "no folder 'shared' with mechanisms; HEDDLE_SHARED may name one"
