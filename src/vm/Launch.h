// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Fault.h"
#include "vm/Limits.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::vm {

class Kernel;
class Steering;

/// Properties of a kernel that are known without running it.
struct KernelInfo {
  struct Parameter {
    uint32_t offset = 0, bytes = 0, alignment = 1;
  };

  std::string name; ///< as in the PTX (mangled)
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t staticSharedBytes = 0;
  uint32_t localBytes = 0;    ///< frame of the kernel itself, calls excluded
  uint32_t constantBytes = 0; ///< constants of its module
  unsigned maxThreads = 0;    ///< .maxntid / .reqntid product, 0 when not said
  unsigned minBlocks = 0;
  Dim3 requiredBlock{0, 0, 0};   ///< .reqntid, zeros when not said
  Dim3 requiredCluster{0, 0, 0}; ///< .reqnctapercluster, zeros when not said
  unsigned registers = 0;        ///< estimate: most 32-bit registers live at once
  uint32_t sites = 0;            ///< instructions, callees included
  uint32_t codeBlocks = 0;       ///< basic blocks, callees included
};

struct LaunchRequest {
  const Kernel *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  /// Parameter buffer laid out as KernelInfo::parameters says; shorter is padded with zeros.
  std::vector<uint8_t> parameters;
  bool cooperative = false;
  Dim3 cluster{1, 1, 1}; ///< blocks per cluster; one: as the kernel requires
  unsigned cores = 0;    ///< 0: all cores of the host
  /// Blocks execute order-dependent global atomics (float sums, results that are used) in order of their index,
  /// so that results do not depend on the number of cores. Off: any order, as on a device.
  bool orderedAtomics = true;
  /// Nonzero: the order in which warps and blocks run is shuffled by this seed (for schedule
  /// exploration).
  uint64_t scheduleSeed = 0;
  uint64_t maxWarpInstructions = 0; ///< 0: no limit; else Timeout when exceeded
  double maxSeconds = 0;            ///< 0: no limit
  const std::atomic<bool> *cancel = nullptr;
  /// Nonzero: of a grid with more blocks so many are executed, a cluster at least (BlockSample.h), unless the launch is cooperative. Only for
  /// kernels whose blocks need no others (Independence.h), and for those who want counts and no results.
  uint64_t sampleBlocks = 0;
  Steering *steering = nullptr; ///< decides what instructions do, see Steering.h
};

enum class LaunchStatus : uint8_t { Ok, Refused, Fault, Deadlock, Timeout };

struct LaunchResult {
  LaunchStatus status = LaunchStatus::Ok;
  std::optional<Fault> fault; ///< for everything but Ok and Refused
  std::string refusal;        ///< Refused: which limit, what was requested and what is allowed
  std::string refusalHint;    ///< what to do about it
  uint64_t launch = 0;        ///< number of the launch in this simulator, from 1
  uint64_t warpInstructions = 0;
  uint64_t threadInstructions = 0;
  double seconds = 0;

  bool ok() const { return status == LaunchStatus::Ok; }
};

} // namespace heddle::vm
