// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/BlockVectors.h"
#include "divergence/Inputs.h"
#include "divergence/InstructionLatency.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <filesystem>

namespace heddle::divergence {

/// A basic block of a kernel, as it was compiled.
struct CodeBlock {
  SourceLocation location; ///< in the CUDA source; unknown where the PTX says nothing
  ClassCounts instructions;
  uint64_t entries = 0; ///< how often a warp, or a part of one, went through it
  uint64_t lanes = 0;   ///< threads with it, all entries together
};

/// A conditional branch, or an exit under a condition.
struct Branch {
  SourceLocation location;
  uint64_t executions = 0; ///< by warps or parts of them
  uint64_t divergent = 0;  ///< of which lanes went different ways
  /// By basic block: lane-slots that were empty in it because the lanes had diverged here.
  std::vector<uint64_t> lostLanes;
};

/// What one launch did, with nothing of an architecture in it.
struct LaunchProfile {
  std::string kernel; ///< mangled
  uint64_t number = 0;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned registers = 0; ///< per thread
  uint64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
  std::vector<CodeBlock> blocks;
  std::vector<Branch> branches;
  uint64_t warps = 0, divergentWarps = 0;
  uint64_t globalRequests = 0, globalSectors = 0; ///< of warps or parts of them; a sector is 32 bytes
  std::vector<uint64_t> absentLanes;              ///< by basic block: slots of lanes that a warp never had
  BlockVectors vectors;
  Inputs inputs; ///< what decides how often blocks are executed

  unsigned threadsPerBlock() const { return block[0] * block[1] * block[2]; }
};

/// All launches of a program that were looked at.
struct ProgramProfile {
  std::vector<LaunchProfile> launches;
  /// Kernels by name: how often they were launched beyond what is here.
  std::map<std::string, uint64_t> skipped;
  /// And how often the simulator stopped them: those launches are not here either.
  std::map<std::string, uint64_t> stopped;
  bool complete = false; ///< false: the program ended before the runtime could say that it did
};

/// All or nothing: the program may end at any time.
bool writeProfile(const std::filesystem::path &file, const ProgramProfile &profile);
bool readProfile(const std::filesystem::path &file, ProgramProfile &profile);

} // namespace heddle::divergence
