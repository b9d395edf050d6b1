// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Files.h"

#include <filesystem>
#include <optional>

namespace heddle::cli {

/// Whether the folder has a capture, or what one that was interrupted has left.
bool holdsCapture(const std::filesystem::path &folder);

/// A capture is written to a folder of its own inside the one that it is for, and takes the place of the one there only when it is complete: a
/// mistyped option must not cost data that may have taken hours. Removed where it is not put into place.
class StagedCapture {
public:
  /// `folder` need not exist. Throws FileError where nothing can be written to it.
  explicit StagedCapture(const std::filesystem::path &folder);
  ~StagedCapture();
  StagedCapture(const StagedCapture &) = delete;
  StagedCapture &operator=(const StagedCapture &) = delete;

  const std::filesystem::path &path() const { return staging; }
  /// Replaces what an earlier capture wrote to the folder, and nothing else there.
  std::optional<FileFailure> putIntoPlace();
  /// A path in the staging folder, as it is after putIntoPlace.
  std::filesystem::path placed(const std::filesystem::path &staged) const;

private:
  std::filesystem::path folder, staging;
  bool isNewFolder = false;
};

} // namespace heddle::cli
