// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/GlobalNames.h"

#include <cstring>

namespace heddle::check {

std::string GlobalNames::of(const LaunchFacts &launch, uint64_t address, uint32_t elementBytes) const {
  std::optional<vm::Allocation> piece = memory ? memory->find(address) : std::nullopt;
  if (!piece)
    return fmt::format("global memory at {:#x}", address);
  const uint64_t inside = address - piece->address;
  const bool isElement = elementBytes && inside % elementBytes == 0;
  if (!piece->name.empty()) {
    const std::string element =
        isElement ? fmt::format("[{}]", inside / elementBytes) : fmt::format(" at byte {}", inside);
    return readableVariable(piece->name) + (piece->bytes <= elementBytes ? "" : element);
  }
  return fmt::format("{} {} of allocation {} ({} bytes, {}){}", isElement ? "element" : "byte",
                     isElement ? inside / elementBytes : inside, piece->id, piece->bytes, madeBy(*piece),
                     parameterText(launch, *piece));
}

std::string GlobalNames::nearestTo(const LaunchFacts &launch, uint64_t address) const {
  const std::optional<vm::Allocation> piece = memory ? memory->nearest(address) : std::nullopt;
  if (!piece || !piece->name.empty())
    return {};
  return fmt::format("allocation {} is {}{}", piece->id, madeBy(*piece), parameterText(launch, *piece));
}

/// ", parameter 'y' of saxpy" where the launch got a pointer into that allocation.
std::string GlobalNames::parameterText(const LaunchFacts &launch, const vm::Allocation &piece) const {
  for (size_t p = 0; p < launch.info->parameters.size(); ++p) {
    const auto &parameter = launch.info->parameters[p];
    for (size_t at = parameter.offset;
         at + 8 <= parameter.offset + parameter.bytes && at + 8 <= launch.parameters.size(); at += 8) {
      uint64_t word;
      std::memcpy(&word, launch.parameters.data() + at, 8);
      if (word < piece.address || word >= piece.end())
        continue;
      std::lock_guard lock(guard);
      const vm::ParameterNames &names =
          parameterNames.try_emplace(launch.kernel, *launch.kernel).first->second;
      return fmt::format(", {} of {}", names.describe(unsigned(p)), launch.name);
    }
  }
  return {};
}

/// "cudaMalloc #2": allocations of the same kind count.
std::string GlobalNames::madeBy(const vm::Allocation &piece) const {
  std::string maker;
  switch (piece.kind) {
  case vm::AllocationKind::Device: maker = allocator; break;
  case vm::AllocationKind::Managed: maker = "cudaMallocManaged"; break;
  case vm::AllocationKind::Pinned: maker = "cudaMallocHost"; break;
  case vm::AllocationKind::Registered: maker = "cudaHostRegister"; break;
  case vm::AllocationKind::DeviceHeap: maker = "malloc in a kernel"; break;
  default: maker = vm::nameOf(piece.kind); break;
  }
  std::lock_guard lock(guard);
  if (auto known = makers.find(piece.id); known != makers.end())
    return maker + known->second;
  return maker;
}

void GlobalNames::noteAllocation(uint64_t address) {
  const std::optional<vm::Allocation> piece = memory ? memory->find(address) : std::nullopt;
  if (!piece)
    return;
  std::lock_guard lock(guard);
  makers[piece->id] = fmt::format(" #{}", ++made[piece->kind]);
}

} // namespace heddle::check
