// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"

#include <set>

namespace heddle::build {

/// The files that one source consists of: itself, and what it includes of the user's, found without a preprocessor beside
/// the includer and in folders of -I. Headers of the toolkit and of the system are not among them.
std::set<std::filesystem::path> userFilesOf(const std::filesystem::path &source,
                                            const std::vector<std::string> &flags);

/// What makes the folder of a captured launch complete by itself.
struct ReproducerRequest {
  std::filesystem::path folder;
  Sources sources;
  std::string kernel; ///< mangled
  std::string arch;   ///< "sm_90"
};

/// Writes source/ (the file that defines the kernel, and what it includes), replay/ (the sources of heddle-replay) and a
/// Makefile, whose target `run` shows the launch's time and compares its results. Why not, or nothing.
std::string writeReproducer(const ReproducerRequest &request);

} // namespace heddle::build
