// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "verify/Compare.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::runner {

/// A program in one form, to be compiled and timed. Paths are relative to the manifest's folder.
struct Candidate {
  std::string id;                 ///< stable over runs: of what it is made of
  std::string configuration;      ///< "coarsen x=2 map=blocked; -maxrregcount=64"; "baseline"
  std::vector<std::string> files; ///< for the compiler
  std::vector<std::string> flags; ///< its own, behind those of the manifest
  std::optional<double> predictedMicros;
};

/// Everything that a machine with a GPU needs to measure candidates: beside it lie their files.
struct Manifest {
  std::string program; ///< for people
  std::string arch = "sm_90";
  std::vector<std::string>
      flags; ///< for every candidate: -std=, -O, -D, -I with paths relative to the folder
  std::vector<std::string> arguments;            ///< of the program
  double compileSeconds = 300, runSeconds = 120; ///< limits for one candidate
  unsigned warmUps = 3, rounds = 21;
  unsigned copies = 0;               ///< the program ends after so many copies from the device; 0: by itself
  bool comparesCopies = true;        ///< else the program's own verdict (its exit code) is enough
  verify::Tolerance tolerance;       ///< how far results may differ
  std::vector<Candidate> candidates; ///< the first is the baseline: what others are compared with
};

std::string manifestText(const Manifest &manifest);
bool writeManifest(const std::filesystem::path &file, const Manifest &manifest);
/// Nothing, and `error` for a person, where it cannot be read.
std::optional<Manifest> readManifest(const std::filesystem::path &file, std::string &error,
                                     int *exitCode = nullptr);

} // namespace heddle::runner
