// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/CaptureRun.h"
#include "capture/CaptureFolder.h"

#include <nlohmann/json_fwd.hpp>

namespace heddle::cli {

/// A captured launch as `heddle capture` prints it.
struct CaptureShown {
  std::filesystem::path folder; ///< as the user named it
  capture::Manifest manifest;
  uint64_t bytes = 0;        ///< of regions and variables
  uint64_t storedBytes = 0;  ///< of memory.bin
  uint64_t changedBytes = 0; ///< of chunks that the launch changed
  build::LaunchShape shape;
  double costShare = 0; ///< of all launches that are meant; 0: not measured
};

/// `inside` is the folder as the library knows it, `given` as the user named it.
CaptureShown shownOf(const capture::CaptureFolder &capture, const std::filesystem::path &inside,
                     const std::filesystem::path &given, const build::CaptureResult &result);

std::string captureText(const std::vector<CaptureShown> &all, const build::CaptureResult &result);
nlohmann::ordered_json captureJson(const std::vector<CaptureShown> &all, const build::CaptureResult &result);

} // namespace heddle::cli
