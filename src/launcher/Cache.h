// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launcher/Transformed.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::launcher {

/// What became of files, kept from one build to the next: a folder for each, named by a hash of everything that it
/// depends on.
///
/// Processes of a parallel build share it without locks: a folder is filled under another name and renamed, so that it
/// is there as a whole or not at all, and what is there never changes.
class Cache {
public:
  /// $HEDDLE_LAUNCHER_CACHE, else heddle/launcher in the user's cache folder ($XDG_CACHE_HOME, ~/.cache), else a folder
  /// of the user's among the temporary files.
  static std::filesystem::path usualFolder();

  explicit Cache(std::filesystem::path folder) : folder(std::move(folder)) {}

  struct Entry {
    std::filesystem::path file; ///< the transformed text; empty where the source is compiled as it is
    std::vector<std::string> embedded;
    std::vector<Message> messages;
  };

  std::optional<Entry> find(const std::string &key) const;
  /// Keeps a result; `name` is what its text is called. Throws FileError where the folder cannot be written.
  Entry keep(const std::string &key, const std::string &name, const Transformed &result) const;

private:
  /// Removes what has not been used for a long time.
  void removeOld() const;
  std::filesystem::path folder;
};

/// A name for a result that is made of all of these.
std::string keyOf(const std::vector<std::string> &parts);

} // namespace heddle::launcher
