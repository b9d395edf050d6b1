// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Fields.h"

namespace heddle::arch {

const std::vector<NumberField> &numberFields() {
  using F = NumberField;
  using A = Arch;
  // clang-format off
  static const std::vector<NumberField> fields = {
    {"threads",      "warpSize",                  &A::warpSize,                    F::Count, F::Never,   "threads per warp"},
    {"threads",      "maxPerBlock",               &A::maxThreadsPerBlock,          F::Count, F::Never,   "threads per block, at most"},
    {"threads",      "maxPerSm",                  &A::maxThreadsPerSm,             F::Count, F::Never,   "threads per SM"},
    {"threads",      "maxWarpsPerSm",             &A::maxWarpsPerSm,               F::Count, F::Never,   "warps per SM"},
    {"threads",      "maxBlocksPerSm",            &A::maxBlocksPerSm,              F::Count, F::Never,   "blocks per SM"},
    {"registers",    "perSm",                     &A::registersPerSm,              F::Count, F::Never,   "per SM"},
    {"registers",    "maxPerBlock",               &A::maxRegistersPerBlock,        F::Count, F::Never,   "per block, at most"},
    {"registers",    "maxPerThread",              &A::maxRegistersPerThread,       F::Count, F::Never,   "per thread, at most"},
    {"registers",    "allocationUnit",            &A::registerAllocationUnit,      F::Count, F::Never,   "allocation unit of a warp"},
    {"registers",    "warpAllocationGranularity", &A::warpAllocationGranularity,   F::Count, F::Never,   "partitions of the register file"},
    {"registers",    "launchWarpGranularity",     &A::launchWarpGranularity,       F::Count, F::Never,   "warps of a block, in multiples of"},
    {"sharedMemory", "bytesPerSm",                &A::sharedBytesPerSm,            F::Bytes, F::Never,   "per SM"},
    {"sharedMemory", "maxBytesPerBlock",          &A::maxSharedBytesPerBlock,      F::Bytes, F::Never,   "per block"},
    {"sharedMemory", "maxBytesPerBlockOptIn",     &A::maxSharedBytesPerBlockOptIn, F::Bytes, F::Never,   "per block, with opt-in"},
    {"sharedMemory", "allocationUnit",            &A::sharedAllocationUnit,        F::Bytes, F::Never,   "allocation unit"},
    {"sharedMemory", "reservedBytesPerBlock",     &A::reservedSharedBytesPerBlock, F::Bytes, F::Allowed, "reserved per block"},
    {"sharedMemory", "banks",                     &A::sharedBanks,                 F::Count, F::Never,   "banks"},
    {"sharedMemory", "bankBytes",                 &A::sharedBankBytes,             F::Bytes, F::Never,   "bank width"},
    {"caches",       "l1LineBytes",               &A::l1LineBytes,                 F::Bytes, F::Never,   "L1 line"},
    {"caches",       "l1SectorBytes",             &A::l1SectorBytes,               F::Bytes, F::Never,   "L1 sector"},
    {"caches",       "l2LineBytes",               &A::l2LineBytes,                 F::Bytes, F::Never,   "L2 line"},
    {"caches",       "l2SectorBytes",             &A::l2SectorBytes,               F::Bytes, F::Never,   "L2 sector"},
    {"barriers",     "perBlock",                  &A::namedBarriersPerBlock,       F::Count, F::Never,   "named barriers per block"},
    {"barriers",     "perSm",                     &A::namedBarriersPerSm,          F::Count, F::Allowed, "named barriers per SM"},
    {"device",       "sms",                       &A::deviceSms,                   F::Count, F::Never,   "SMs"},
    {"device",       "clockMhz",                  &A::deviceClockMhz,              F::Megahertz, F::Never, "clock"},
    {"device",       "l2Bytes",                   &A::deviceL2Bytes,               F::Bytes, F::Never,   "L2 cache"},
    {"device",       "dramGigabytesPerSecond",    &A::deviceDramGigabytesPerSecond, F::GigabytesPerSecond, F::Allowed, "memory bandwidth"},
    {"device",       "l2BytesPerCycle",           &A::deviceL2BytesPerCycle,       F::BytesPerCycle, F::Allowed, "L2 bandwidth"},
    {"device",       "launchNanos",               &A::deviceLaunchNanos,           F::Nanoseconds, F::Allowed, "an empty launch"},
  };
  // clang-format on
  return fields;
}

} // namespace heddle::arch
