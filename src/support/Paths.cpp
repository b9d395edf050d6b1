// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Paths.h"

#include "support/Files.h"
#include "support/Interrupts.h"
#include "support/OwnProgram.h"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace fs = std::filesystem;

namespace heddle {

namespace {

/// The shared library that this code is part of, where it is part of one.
fs::path ownLibrary() {
  Dl_info info;
  const bool isKnown = dladdr(reinterpret_cast<void *>(&dataFolder), &info) != 0 && info.dli_fname;
  return isKnown ? info.dli_fname : fs::path();
}

} // namespace

fs::path dataFolder(std::string_view name) {
  std::error_code ignored;
  auto existing = [&](const fs::path &root) {
    return fs::is_directory(root / name, ignored) ? root / name : fs::path();
  };

  if (const char *given = std::getenv("HEDDLE_DATA"))
    if (fs::path found = existing(given); !found.empty())
      return found;
  if (fs::path found = existing(ownProgram().parent_path().parent_path() / "share" / "heddle");
      !found.empty())
    return found;
  // A program on the simulator that was started directly: PREFIX/lib/heddle/libheddle_cudart.so knows the prefix.
  if (fs::path library = ownLibrary(); library.is_absolute() && library.extension() == ".so")
    if (fs::path found = existing(library.parent_path().parent_path().parent_path() / "share" / "heddle");
        !found.empty())
      return found;
  return existing(HEDDLE_SOURCE_DIR);
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error; // $TMPDIR that is no directory: making a folder there says so
  fs::path where = fs::temp_directory_path(error);
  if (const char *given = std::getenv("TMPDIR"); error && given)
    where = given;
  std::string pattern = (where / prefix).string() + "XXXXXX";
  if (!makeTemporaryFolder(pattern))
    throw FileError({pattern, FileFailure::Doing::Write, errno});
  folder = pattern;
}

TemporaryFolder::~TemporaryFolder() { removeTemporaryFolder(folder); }

} // namespace heddle
