// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the preloaded library hands to the process that started the program. Needs nothing of Heddle but
// divergence/BlockVectors.
#pragma once

#include "divergence/BlockVectors.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::instrument {

/// The counters of one launch, summed over its warps. Rows are those of CountedFunction.
struct CountedLaunch {
  std::string kernel; ///< mangled
  std::string image;  ///< which module: the hash of what the program registered
  uint64_t number = 0;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  uint32_t every = 1;               ///< thread blocks whose number is a multiple of this were counted
  divergence::BlockVectors vectors; ///< by row of threads; of all threads of blocks that were counted
  std::vector<uint64_t> warpSums;   ///< by row of warps
  std::vector<uint64_t>
      values; ///< by block that was counted, row of values and thread: the bits that a load gave
  std::vector<uint64_t> absentLanes; ///< by row of warps: the same times the lanes that the warp never had
  uint64_t warps = 0, divergentWarps = 0;

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  uint32_t threadsPerBlock() const { return block[0] * block[1] * block[2]; }
  uint64_t countedBlocks() const { return (blocks() + every - 1) / every; }
};

bool writeLaunch(const std::filesystem::path &file, const CountedLaunch &launch);
std::optional<CountedLaunch> readLaunch(const std::filesystem::path &file);

/// What became of the program's launches.
struct CountingResult {
  std::string device;                      ///< its name; empty where nothing was launched
  uint64_t counted = 0;                    ///< launches; their files are numbered from 0
  std::map<std::string, uint64_t> skipped; ///< by kernel: launches beyond what is counted, or in graphs
  std::map<std::string, uint64_t> stopped; ///< by kernel: launches that failed
  std::map<std::string, uint64_t> unknown; ///< by kernel: launches of modules that have no counters
  std::string error;                       ///< why counters could not be read
};

bool writeResult(const std::filesystem::path &file, const CountingResult &result);
std::optional<CountingResult> readResult(const std::filesystem::path &file);

} // namespace heddle::instrument
