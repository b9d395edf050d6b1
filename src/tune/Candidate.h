// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Configuration.h"
#include "tune/ReplayLaunch.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

/// What one kernel of a candidate needs, from ptxas or (`isEstimate`) from its source.
struct KernelNeeds {
  unsigned registers = 0;
  uint64_t spillBytes = 0, sharedBytes = 0; ///< shared: static
  bool isEstimate = false;
};

/// The captured launch with the code of a candidate, where it can be replayed alone.
struct ReplayCode {
  std::optional<ReplayLaunch> launch; ///< nothing: `whyNot` says why
  std::string whyNot;
  std::filesystem::path module; ///< a cubin or PTX; the maker's, which removes it when it goes
};

/// A configuration carried out: a program that may be compiled and run.
struct Candidate {
  struct File {
    std::string name; ///< without a folder: "saxpy.cu"
    std::string text;
    bool isCompiled = true; ///< false: something that others include
  };

  std::string id; ///< Problem::idOf
  Configuration configuration;
  std::vector<File> files;        ///< in place of the problem's file; its further files go with them
  std::vector<std::string> flags; ///< its own, behind those of the problem
  std::string digest;             ///< of files and flags: candidates with the same one are the same program
  std::map<std::string, KernelNeeds> needs; ///< by mangled name
  std::optional<double> predictedMicros;
  ReplayCode replay; ///< where the maker was given a captured launch

  bool isBaseline() const { return configuration.isBaseline(); }
};

} // namespace heddle::tune
