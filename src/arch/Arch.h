// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Feature.h"
#include "arch/Latencies.h"

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {
class Diagnostics;
}

namespace heddle::arch {

/// What one GPU generation allows, read from arch/<name>.json. arch/README.md says where each number comes
/// from and what it means; the names here are the names there. Bytes say so; "Sm" is a multiprocessor.
struct Arch {
  std::string name;       ///< "sm_90"
  std::string generation; ///< "Hopper"
  unsigned major = 0, minor = 0;
  std::vector<std::string> aliases; ///< other names findArch knows, lower case: "hopper", "h200"
  std::string source;               ///< where the numbers come from

  unsigned warpSize = 0;
  unsigned maxThreadsPerBlock = 0;
  unsigned maxThreadsPerSm = 0;
  unsigned maxWarpsPerSm = 0;
  unsigned maxBlocksPerSm = 0;
  std::array<unsigned, 3> maxBlockDim{};
  std::array<unsigned, 3> maxGridDim{};

  unsigned registersPerSm = 0;
  unsigned maxRegistersPerBlock = 0;
  unsigned maxRegistersPerThread = 0;
  unsigned registerAllocationUnit = 0;    ///< a warp's registers are rounded up to a multiple of this
  unsigned warpAllocationGranularity = 0; ///< the register file is split among this many schedulers
  unsigned launchWarpGranularity =
      0; ///< a block's warps are rounded up to this when its registers are checked

  unsigned sharedBytesPerSm = 0;
  std::vector<unsigned>
      sharedCarveouts; ///< the sizes in bytes that an SM's shared memory can be set to, rising
  unsigned maxSharedBytesPerBlock = 0;      ///< without asking
  unsigned maxSharedBytesPerBlockOptIn = 0; ///< with cudaFuncAttributeMaxDynamicSharedMemorySize
  unsigned sharedAllocationUnit = 0;
  unsigned reservedSharedBytesPerBlock = 0; ///< what the system takes from each block's share
  unsigned sharedBanks = 0;
  unsigned sharedBankBytes = 0;

  unsigned l1LineBytes = 0;
  unsigned l1SectorBytes = 0;
  unsigned l2LineBytes = 0;
  unsigned l2SectorBytes = 0;

  unsigned namedBarriersPerBlock = 0;
  unsigned namedBarriersPerSm = 0; ///< 0: not a limit of its own

  std::set<Feature> features;

  std::optional<LatencyTable> latencies; ///< nothing: not known for this generation

  std::string deviceName; ///< the device that the following represent: "H200"
  unsigned deviceSms = 0;
  unsigned deviceClockMhz = 0;
  unsigned deviceL2Bytes = 0;
  unsigned deviceDramGigabytesPerSecond = 0; ///< 0, as of the following: not known
  unsigned deviceL2BytesPerCycle = 0;        ///< of the whole device
  unsigned deviceLaunchNanos = 0;            ///< what a kernel that does nothing takes between two events

  bool has(Feature feature) const { return features.count(feature) != 0; }
  std::string computeCapability() const; ///< "9.0"
};

/// The table in `file`, or nothing and errors that name the file and the field.
std::optional<Arch> readArch(const std::filesystem::path &file, Diagnostics &diagnostics);

/// Every table of a folder, oldest generation first. Tables with errors are left out and reported.
std::vector<Arch> loadArchs(const std::filesystem::path &folder, Diagnostics &diagnostics);

/// The same for the folder that comes with Heddle.
std::vector<Arch> loadArchs(Diagnostics &diagnostics);

/// The architecture that people mean by `name`: "sm_90", "sm_90a", "compute_90", "90", "9.0", "Hopper",
/// "H200". Nothing and an error with the nearest names as hint where there is none. A generation that several
/// tables share ("Ampere") means the first of them.
std::optional<Arch> findArch(std::string_view name, Diagnostics &diagnostics);
const Arch *findArch(std::string_view name, const std::vector<Arch> &archs, Diagnostics &diagnostics);

/// The newest of these (oldest first) that is not newer than the compute capability, for a GPU without a table of its own: 8.6 of
/// 8.7. Null where all are newer.
const Arch *newestUpTo(unsigned major, unsigned minor, const std::vector<Arch> &archs);

} // namespace heddle::arch
