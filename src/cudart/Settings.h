// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::cudart {

/// What the environment asks of the runtime. `heddle run` sets these; a program started by hand may have them
/// set by the user.
struct Settings {
  std::string arch = "sm_90"; ///< HEDDLE_ARCH: the device it pretends to be
  unsigned cores = 0;         ///< HEDDLE_CORES: host threads that execute blocks; 0: all
  double timeoutSeconds = 0;  ///< HEDDLE_TIMEOUT: for each kernel; 0: none
  std::string copyLog;        ///< HEDDLE_LOG: file that gets every device-to-host copy
  std::string summaryFile;    ///< HEDDLE_SUMMARY: file that gets the counters at exit; "-" is stderr
  std::string checkFile;      ///< HEDDLE_CHECK: file that gets what the checker finds
  std::string checkAssume;    ///< HEDDLE_CHECK_ASSUME: "lockstep", or (tests) "volatile"
  std::string profileFile;    ///< HEDDLE_PROFILE: file that gets basic-block vectors and what decides them
  std::string countersFile;   ///< HEDDLE_COUNTERS: file that gets what launches needed of a device
  uint64_t countedBlocks = 0; ///< HEDDLE_COUNTERS_BLOCKS: of a launch with more, so many are executed; 0: all
  std::string accessesFile;   ///< HEDDLE_ACCESSES: file that gets what each access cost
  bool isDry = false;         ///< HEDDLE_DRY: launches are looked at and not executed
  uint64_t scheduleSeed = 0;  ///< HEDDLE_SCHEDULE: shuffles the order of warps and blocks
  std::optional<uint64_t>
      watchAllocation; ///< HEDDLE_WATCH=allocation:offset:bytes:launches: name who writes there, in the first launches
  uint64_t watchOffset = 0, watchBytes = 0, watchLaunches = 0;

  static Settings fromEnvironment();
};

} // namespace heddle::cudart
