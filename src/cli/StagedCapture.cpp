// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StagedCapture.h"

#include "support/Interrupts.h"

#include <cerrno>
#include <string>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// What an earlier capture wrote there, and nothing else.
void removeCapture(const fs::path &folder) {
  std::error_code ignored;
  for (const char *part : {"launch.txt", "memory.bin", "memory.index", "source", "replay", "Makefile",
                           "kernel.cubin", "heddle-replay"})
    fs::remove_all(folder / part, ignored);
  for (unsigned number = 1; holdsCapture(folder / std::to_string(number)); ++number) {
    removeCapture(folder / std::to_string(number));
    fs::remove(folder / std::to_string(number), ignored); // unless the user has put something there
  }
}

/// Moves the entries of one folder to another. A folder that is there already keeps what it has.
std::error_code moveEntries(const fs::path &from, const fs::path &to) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::directory_iterator entry(from, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path target = to / entry->path().filename();
    std::error_code ignored;
    if (fs::is_directory(target, ignored))
      error = moveEntries(entry->path(), target);
    else
      fs::rename(entry->path(), target, error);
    if (error)
      return error;
  }
  return error;
}

} // namespace

bool holdsCapture(const fs::path &folder) {
  std::error_code ignored;
  return fs::exists(folder / "launch.txt", ignored) || fs::exists(folder / "memory.bin", ignored);
}

// In the folder itself: what is beside it may be on another file system, from which files cannot be renamed.
StagedCapture::StagedCapture(const fs::path &wanted) : folder(fs::absolute(wanted)) {
  std::error_code ignored;
  isNewFolder = !fs::exists(folder, ignored);
  if (std::optional<FileFailure> failure = makeFolder(folder))
    throw FileError(*failure);
  std::string pattern = (folder / ".capture-XXXXXX").string();
  if (!makeTemporaryFolder(pattern))
    throw FileError({pattern, FileFailure::Doing::Write, errno});
  staging = pattern;
}

StagedCapture::~StagedCapture() {
  removeTemporaryFolder(staging);
  std::error_code ignored;
  if (isNewFolder)
    fs::remove(folder, ignored); // where it is empty
}

std::optional<FileFailure> StagedCapture::putIntoPlace() {
  removeCapture(folder);
  const std::error_code error = moveEntries(staging, folder);
  if (error)
    return FileFailure{folder, FileFailure::Doing::Write, error.value()};
  return std::nullopt;
}

fs::path StagedCapture::placed(const fs::path &staged) const {
  const fs::path inside = staged.lexically_relative(staging);
  return inside == "." ? folder : folder / inside;
}

} // namespace heddle::cli
