// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ClangProgram.h"

#include "support/OwnProgram.h"
#include "support/Process.h"

namespace fs = std::filesystem;

namespace heddle {
namespace {

/// Where tools/package puts Clang.
std::optional<fs::path> packaged(const char *name) {
  return findProgram((ownProgram().parent_path().parent_path() / "lib/heddle/llvm/bin" / name).string());
}

} // namespace

std::optional<fs::path> findClang() {
  if (std::optional<fs::path> found = packaged("clang++"))
    return found;
  for (const char *name : {"clang++-22", "clang++"})
    if (std::optional<fs::path> found = findProgram(name))
      return found;
  return std::nullopt;
}

fs::path clangOfHeaders() {
  if (std::optional<fs::path> found = packaged("clang"))
    return *found;
  const fs::path builtWith = HEDDLE_CLANG;
  if (std::optional<fs::path> found = findProgram(builtWith.string()))
    return *found;
  return findClang().value_or(builtWith);
}

} // namespace heddle
