// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays the same while a launch runs, and where in it something happens.
#pragma once

#include "check/BarrierPaths.h"
#include "check/Checker.h"
#include "check/Locations.h"
#include "check/SharedArrays.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::check {

/// What the code of a kernel says before it runs.
struct KernelFacts {
  explicit KernelFacts(const vm::Kernel &kernel);
  BarrierPaths paths;
  SharedArrays arrays;
  std::vector<uint8_t> decides; ///< BarrierPaths::decides by site
};

/// Nothing of this changes once the launch has begun (Launches.h). Blocks are numbered over all launches: these
/// numbers are called actors.
struct LaunchFacts {
  uint64_t number = 0; ///< among all launches, in the order in which they begin
  uint64_t ofKernel =
      0; ///< among the launches of its kernel, in the order in which the host launched them; from 1
  const vm::Kernel *kernel = nullptr;
  const vm::KernelInfo *info = nullptr;
  const KernelFacts *code = nullptr;
  bool cooperative = false;
  std::string name;
  vm::Dim3 grid, block, cluster;
  bool inClusters = false; ///< other blocks may access a block's shared memory
  uint32_t dynamicShared = 0;
  std::vector<uint8_t> parameters;
  uint32_t firstInstrId = 0;
  uint64_t blocks = 0;
  std::optional<WorkOrder> order;
  uint32_t firstActor = 0;
  uint32_t orderedBelow = 0; ///< actors below ran before this launch

  bool has(uint32_t actor) const { return actor >= firstActor && actor - firstActor < blocks; }
};

/// Where an event happens: a warp of a block, at an instruction.
struct Where {
  const LaunchFacts &launch;
  uint64_t block = 0;
  uint32_t actor = 0;
  unsigned warp = 0;
  uint32_t instrId = 0;

  unsigned thread(unsigned lane) const { return warp * 32 + lane; }
  std::string threadText(unsigned lane) const { return threadName(launch.block, thread(lane)); }
  std::string blockText() const { return blockName(launch.grid, block); }
};

} // namespace heddle::check
