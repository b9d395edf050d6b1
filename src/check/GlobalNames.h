// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Launch.h"
#include "vm/ParameterNames.h"

#include <map>
#include <mutex>
#include <string>

namespace heddle::check {

/// Names global addresses: "element 3 of allocation 2 (4096 bytes, cudaMalloc #2), parameter 'y' of saxpy".
class GlobalNames {
public:
  /// Without memory, addresses stay bare. `maker`: what the program calls cudaMalloc.
  GlobalNames(const vm::Memory *deviceMemory, std::string maker)
      : memory(deviceMemory), allocator(std::move(maker)) {}

  /// The program allocated that; allocations of one kind are counted.
  void noteAllocation(uint64_t address);
  std::string of(const LaunchFacts &launch, uint64_t address, uint32_t elementBytes) const;
  /// "allocation 2 is cudaMalloc #2, parameter 'y' of saxpy": the one that contains the address or is nearest to it. Empty for a
  /// variable, which has a name.
  std::string nearestTo(const LaunchFacts &launch, uint64_t address) const;

private:
  std::string madeBy(const vm::Allocation &piece) const;
  std::string parameterText(const LaunchFacts &launch, const vm::Allocation &piece) const;

  const vm::Memory *memory;
  const std::string allocator;
  mutable std::mutex guard;               ///< of what follows
  std::map<uint64_t, std::string> makers; ///< " #2", by allocation
  std::map<vm::AllocationKind, unsigned> made;
  mutable std::map<const vm::Kernel *, vm::ParameterNames> parameterNames; ///< of kernels that were named
};

} // namespace heddle::check
