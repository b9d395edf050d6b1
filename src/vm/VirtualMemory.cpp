// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserved addresses, physical memory and mappings between them.
//
// A device address is a host address, so each of the three is one of the host's:
// 1. a reservation is a range of the process that nobody may touch (PROT_NONE);
// 2. physical memory is a part of one file without a name (memfd), so that it keeps its contents without a mapping
//    and may be mapped at two addresses. One file for all, because programs may create thousands and a process has
//    few file descriptors; what is freed becomes a hole of the file;
// 3. a mapping puts that part of the file into the reservation.
// Host pages may be read and written as soon as they are mapped. What kernels and copies may do is decided by the
// access of the allocation, as for all other memory.
#include "vm/VirtualMemory.h"

#include "vm/AddressRange.h"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace heddle::vm {
namespace {

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // Linux 4.17; older ones take the address as a wish
#endif

constexpr int UnbackedFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

bool isMultiple(uint64_t value) { return value % VirtualMemory::Granularity == 0; }

/// Nobody may touch these addresses from now on; false where somebody has one of them.
bool reserveAt(uint64_t address, uint64_t bytes) {
  void *got = mmap(pointer(address), bytes, PROT_NONE, UnbackedFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == pointer(address))
    return true;
  if (got != MAP_FAILED)
    munmap(got, bytes);
  return false;
}

/// The same wherever the system likes.
uint64_t reserveAnywhere(uint64_t bytes, uint64_t alignment) {
  void *got = mmap(nullptr, bytes + alignment, PROT_NONE, UnbackedFlags, -1, 0);
  if (got == MAP_FAILED)
    return 0;
  const uint64_t begin = uint64_t(got), end = begin + bytes + alignment,
                 address = (begin + alignment - 1) & ~(alignment - 1);
  if (address > begin)
    munmap(got, address - begin);
  if (end > address + bytes)
    munmap(pointer(address + bytes), end - address - bytes);
  return address;
}

} // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto &[address, mapping] : mappings) {
    memory.removeMapped(address);
    memory.forget(address, mapping.bytes);
  }
  for (const auto &[address, bytes] : reservations)
    munmap(pointer(address), bytes);
  for (const auto &[handle, piece] : physical)
    memory.giveBack(piece.bytes);
  if (file >= 0)
    close(file);
}

uint64_t VirtualMemory::reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted) {
  std::lock_guard lock(guard);
  alignment = std::max(alignment, Granularity);
  uint64_t address = 0;
  if (wanted && wanted % alignment == 0 && reserveAt(wanted, bytes))
    address = wanted;
  if (!address) {
    // Behind the simulator's own range, so that addresses are the same in every run here too.
    nextAddress = std::max(nextAddress, FixedBase + WantedReserve);
    const uint64_t next = (nextAddress + alignment - 1) & ~(alignment - 1);
    address = reserveAt(next, bytes) ? next : reserveAnywhere(bytes, alignment);
    if (address == next)
      nextAddress = next + bytes + Granularity;
  }
  if (address)
    reservations[address] = bytes;
  return address;
}

std::string VirtualMemory::release(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(guard);
  auto at = reservations.find(address);
  if (at == reservations.end())
    return fmt::format("no reserved range begins at {:#x}", address);
  if (at->second != bytes)
    return fmt::format("the range at {:#x} was reserved with {} bytes, not {}", address, at->second, bytes);
  auto inside = mappings.lower_bound(address);
  if (inside != mappings.end() && inside->first < address + bytes)
    return fmt::format("memory is still mapped at {:#x}, inside of the range", inside->first);
  munmap(pointer(address), bytes);
  memory.forget(address, bytes);
  reservations.erase(at);
  return {};
}

bool VirtualMemory::openFile() {
  if (file < 0)
    file = memfd_create("device memory", MFD_CLOEXEC);
  return file >= 0;
}

uint64_t VirtualMemory::create(uint64_t bytes) {
  std::lock_guard lock(guard);
  if (!openFile() || !memory.take(bytes))
    return 0;
  if (ftruncate(file, off_t(fileEnd + bytes)) != 0) {
    memory.giveBack(bytes);
    return 0;
  }
  physical[nextHandle] = {fileEnd, bytes};
  fileEnd += bytes;
  return nextHandle++;
}

std::string VirtualMemory::retain(uint64_t handle) {
  std::lock_guard lock(guard);
  auto at = physical.find(handle);
  if (at == physical.end())
    return "the handle is not one of cuMemCreate";
  ++at->second.holders;
  return {};
}

std::string VirtualMemory::drop(uint64_t handle) {
  std::lock_guard lock(guard);
  auto at = physical.find(handle);
  if (at == physical.end() || at->second.holders == 0)
    return "the handle is not one of cuMemCreate, or was released";
  --at->second.holders;
  freeIfUnused(handle);
  return {};
}

void VirtualMemory::freeIfUnused(uint64_t handle) {
  const Physical &piece = physical.at(handle);
  if (piece.holders || piece.mappings)
    return;
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(piece.offset), off_t(piece.bytes));
  memory.giveBack(piece.bytes);
  physical.erase(handle);
}

bool VirtualMemory::isHandle(uint64_t handle) const {
  std::lock_guard lock(guard);
  auto at = physical.find(handle);
  return at != physical.end() && at->second.holders;
}

std::optional<uint64_t> VirtualMemory::handleAt(uint64_t address) const {
  std::lock_guard lock(guard);
  auto at = mappings.upper_bound(address);
  if (at == mappings.begin() || (--at)->first + at->second.bytes <= address)
    return std::nullopt;
  return at->second.handle;
}

std::string VirtualMemory::map(uint64_t address, uint64_t bytes, uint64_t handle, bool &mayHoldData) {
  std::lock_guard lock(guard);
  auto piece = physical.find(handle);
  if (piece == physical.end() || piece->second.holders == 0)
    return "the handle is not one of cuMemCreate, or was released";
  if (!bytes || !isMultiple(address) || !isMultiple(bytes))
    return fmt::format("address and size must be multiples of the granularity, {} bytes", Granularity);
  if (bytes > piece->second.bytes)
    return fmt::format("{} bytes of memory that has {}", bytes, piece->second.bytes);
  auto range = reservations.upper_bound(address);
  if (range == reservations.begin() || (--range)->first + range->second < address + bytes)
    return fmt::format("{} bytes at {:#x} are not inside of one reserved range", bytes, address);
  auto next = mappings.lower_bound(address);
  const bool meetsNext = next != mappings.end() && next->first < address + bytes;
  const bool meetsPrevious =
      next != mappings.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address;
  if (meetsNext || meetsPrevious)
    return fmt::format("memory is already mapped in the {} bytes at {:#x}", bytes, address);
  if (mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
           off_t(piece->second.offset)) == MAP_FAILED)
    return "the system refused the mapping";
  memory.addMapped(address, bytes);
  mappings[address] = {bytes, handle};
  ++piece->second.mappings;
  mayHoldData = std::exchange(piece->second.wasMapped, true);
  return {};
}

std::string VirtualMemory::cover(uint64_t address, uint64_t bytes,
                                 std::map<uint64_t, uint64_t> &bytesByAddress) const {
  uint64_t at = address;
  while (bytes && at < address + bytes) {
    auto found = mappings.find(at);
    if (found == mappings.end())
      return fmt::format("no mapping begins at {:#x}", at);
    bytesByAddress[at] = found->second.bytes;
    at += found->second.bytes;
  }
  if (!bytes || at != address + bytes)
    return fmt::format("{} bytes at {:#x} are not mappings as a whole: the last one ends at {:#x}", bytes,
                       address, at);
  return {};
}

std::string VirtualMemory::unmap(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(guard);
  std::map<uint64_t, uint64_t> parts;
  if (std::string wrong = cover(address, bytes, parts); !wrong.empty())
    return wrong;
  for (const auto &[begin, size] : parts) {
    memory.removeMapped(begin);
    mmap(pointer(begin), size, PROT_NONE, UnbackedFlags | MAP_FIXED, -1, 0);
    const uint64_t handle = mappings.at(begin).handle;
    mappings.erase(begin);
    --physical.at(handle).mappings;
    freeIfUnused(handle);
  }
  return {};
}

std::string VirtualMemory::setAccess(uint64_t address, uint64_t bytes, MemoryAccess access) {
  std::lock_guard lock(guard);
  std::map<uint64_t, uint64_t> parts;
  if (std::string wrong = cover(address, bytes, parts); !wrong.empty())
    return wrong;
  for (const auto &[begin, size] : parts)
    memory.setAccess(begin, access);
  return {};
}

} // namespace heddle::vm
