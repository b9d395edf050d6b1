// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/preload/ProgramMemory.h"

#include <iterator>

namespace heddle::trace {
namespace {

Piece pieceOf(uintptr_t address, const Allocation &allocation) {
  return {allocation.number, address, allocation.bytes, allocation.kind != MemoryKind::Device, {}};
}

} // namespace

void ProgramMemory::allocated(void *pointer, size_t bytes, MemoryKind kind) {
  if (pointer)
    allocations[reinterpret_cast<uintptr_t>(pointer)] = {++lastNumber, bytes, kind};
}

void ProgramMemory::freed(void *pointer) { allocations.erase(reinterpret_cast<uintptr_t>(pointer)); }

const Allocation *ProgramMemory::beginningAt(const void *pointer) const {
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  return found == allocations.end() ? nullptr : &found->second;
}

std::optional<Piece> ProgramMemory::find(uint64_t address) const {
  auto after = allocations.upper_bound(uintptr_t(address));
  if (after == allocations.begin())
    return std::nullopt;
  const auto &[begin, allocation] = *std::prev(after);
  return address - begin < allocation.bytes ? std::optional<Piece>(pieceOf(begin, allocation)) : std::nullopt;
}

std::optional<Piece> ProgramMemory::variableOf(const void *symbol) const {
  for (const DeviceVariable &variable : variables)
    if (variable.symbol == symbol)
      return Piece{0, reinterpret_cast<uint64_t>(symbol), variable.bytes, false, variable.name};
  return std::nullopt;
}

std::vector<Piece> ProgramMemory::readableByHost() const {
  std::vector<Piece> pieces;
  for (const ManagedVariable &variable : managedVariables)
    if (*variable.place)
      pieces.push_back({0, reinterpret_cast<uint64_t>(*variable.place), variable.bytes, true, variable.name});
  for (const auto &[address, allocation] : allocations)
    if (allocation.kind != MemoryKind::Device)
      pieces.push_back(pieceOf(address, allocation));
  return pieces;
}

} // namespace heddle::trace
