// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "capture/StoreReader.h"

namespace heddle::capture {

/// A captured launch, read from its folder.
struct CaptureFolder {
  Manifest manifest;
  StoreReader store;

  /// Nothing, and why, where the folder holds no complete capture. Contents are checked when they are read.
  static std::optional<CaptureFolder> open(const std::filesystem::path &folder, std::string &error);
  /// All bytes of an object; the error names the object.
  bool read(size_t object, When when, void *to, std::string &error) const;
};

/// Writes launch.txt. The last step of a capture: a folder without it holds none.
bool writeManifest(const std::filesystem::path &folder, const Manifest &manifest, std::string &error);

} // namespace heddle::capture
