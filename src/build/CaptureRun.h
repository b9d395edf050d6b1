// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Process.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::build {

/// Which launch of a program is captured, and where to.
struct CaptureRequest {
  enum class Which {
    LongestInTotal,
    Numbered,
    EachShape,
  };

  std::filesystem::path folder;
  std::string kernel; ///< empty: any
  Which which = Which::LongestInTotal;
  uint64_t number = 0; ///< from 1, among the launches of the kernels that are meant
  bool allMemory = false;
  std::string arch;               ///< empty: that of the device
  std::string program;            ///< as it is run, for people
  std::filesystem::path turnFile; ///< that the program locks while it uses the GPU; empty: none
};

/// A kernel at one grid, block and size of shared memory.
struct LaunchShape {
  std::string kernel; ///< mangled
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint64_t sharedBytes = 0;
  uint64_t first = 0; ///< number of the first such launch among those that are meant
  uint64_t launches = 0;
  double cost = 0; ///< of all such launches, by CaptureResult::unit; 0: not measured
};

struct CaptureResult {
  struct Captured {
    std::filesystem::path folder;
    uint64_t launch = 0;
  };
  std::vector<Captured> captured;
  std::string refused; ///< why the launch cannot be captured
  std::vector<LaunchShape> shapes;
  std::string unit;                       ///< "micros" or "instructions"
  std::map<std::string, uint64_t> others; ///< launches of kernels that are not meant
  std::map<std::string, uint64_t> graphs; ///< of those that are meant, recorded into graphs
  bool isSeen = false;                    ///< false: the program launched nothing that the library could see
  bool isAtRest = false; ///< of a program that goes on: all launches so far have ended, and are measured
  unsigned runs = 0;     ///< of the program
  ProcessResult end;     ///< of the last run

  /// Launches of the kernels that are meant.
  uint64_t launches() const;
};

/// Runs the program with an environment; both runs must be alike.
using RunProgram = std::function<ProcessResult(const std::vector<std::string> &environment)>;

/// Captures, with the library that src/capture/preload is. One run is enough where the launch is chosen by its number, or
/// where the first launch has the shape that takes longest in total; else a second run captures that one.
CaptureResult captureLaunches(const CaptureRequest &request, const RunProgram &run);

/// The environment of a program whose launch is captured: a number, "all", or empty for the first while all are measured.
std::vector<std::string> captureEnvironment(const CaptureRequest &request, const std::string &launch,
                                            const std::filesystem::path &resultFile);

/// What the library wrote. isSeen is false where there is no such file.
CaptureResult readCaptureResult(const std::filesystem::path &file);

/// The shape with the largest cost, the first of equal ones; null where there is none.
const LaunchShape *longestInTotal(const std::vector<LaunchShape> &shapes);

} // namespace heddle::build
