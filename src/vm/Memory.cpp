// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's global memory, inside the address space of the host process.
//
// Device addresses are host addresses, so that managed and registered memory need no translation. One large
// range is reserved without being usable (PROT_NONE), at a fixed base where possible, so that addresses are
// the same on every run.
//
// 1. The range has three parts: what the program allocates fills the lower half from below; module variables
//    and the simulator's own buffers fill the highest quarter from above; what kernels allocate, the quarter
//    below that. One more variable, or a kernel that allocates more, leaves the addresses of everything else
//    as they are.
// 2. A gap without an allocation follows each piece, a larger one after large pieces: an index beyond the end
//    of an array leads to the gap instead of the next array.
// 3. Addresses are not reused until the range is used up; freed pieces stay known (up to `RememberedFrees`),
//    so that a use after free is reported as such. Their pages are returned to the system.
// 4. `nearest` finds the piece that an invalid address was probably meant for, for messages.
//
// Pages are made usable when a piece is allocated; on a machine with little address space the reservation is
// halved until it succeeds. Host-visible kinds are counted, so that the common case without any is one
// comparison. Cost: allocation and lookup are logarithmic in the number of pieces; once addresses wrap
// around, allocation is linear.
#include "vm/Memory.h"

#include "vm/AddressRange.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::vm {
namespace {

// Half of the requested size, and so on, until the reservation succeeds.
constexpr uint64_t LeastReserve = uint64_t(1) << 32;

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // Linux 4.17; older kernels take the address as a hint
#endif

// The gap after each piece. It is larger after large pieces, since a wrong index is further off there.
constexpr uint64_t SmallGap = 512, LargeGap = 64 * 1024, LargePiece = 1 << 20;

// How many freed pieces are remembered; a program that allocates in a loop must not fill the host's memory
// with them.
constexpr uint64_t RememberedFrees = 1 << 16;

uint64_t pageBytes() {
  static const uint64_t bytes = uint64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}
uint64_t roundUp(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }
uint64_t gapAfter(uint64_t bytes) { return bytes >= LargePiece ? LargeGap : SmallGap; }

bool makeUsable(uint64_t address, uint64_t bytes) {
  uint64_t first = address & ~(pageBytes() - 1), last = roundUp(address + bytes, pageBytes());
  return mprotect(reinterpret_cast<void *>(first), last - first, PROT_READ | PROT_WRITE) == 0;
}

/// Returns the pages that are completely inside to the system. An unchecked access would read zeros.
void dropPages(uint64_t address, uint64_t bytes) {
  uint64_t first = roundUp(address, pageBytes()), last = (address + bytes) & ~(pageBytes() - 1);
  if (last > first)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

constexpr int ReserveFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

/// The range at FixedBase; nullptr if it is not available.
void *reserveFixed(uint64_t bytes) {
  void *wanted = reinterpret_cast<void *>(FixedBase);
  void *base = mmap(wanted, bytes, PROT_NONE, ReserveFlags | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED || base == wanted)
    return base == wanted ? base : nullptr;
  munmap(base, bytes);
  return nullptr;
}

/// The range has three parts. Allocations of the program fill the lower half from below. Variables of modules
/// and buffers of the simulator fill the highest quarter from above, and allocations of kernels the quarter below
/// that: a program with one more variable, or with a kernel that allocates more, still gets the same addresses
/// for everything else.
uint64_t programEnd(uint64_t base, uint64_t bytes) { return base + bytes / 2; }
uint64_t heapEnd(uint64_t base, uint64_t bytes) { return base + bytes / 4 * 3; }

/// The address below all pieces from `begin` to `end`; 0 where none is left.
uint64_t belowOthers(const auto &pieces, uint64_t begin, uint64_t end, uint64_t bytes, uint64_t alignment) {
  auto lowest = pieces.lower_bound(begin);
  const uint64_t limit = lowest != pieces.end() && lowest->first < end ? lowest->first : end;
  const uint64_t need = bytes + gapAfter(bytes) + alignment;
  return limit - begin < need ? 0 : (limit - gapAfter(bytes) - bytes) & ~(alignment - 1);
}

uint64_t distance(const Allocation &piece, uint64_t address) {
  if (address < piece.address)
    return piece.address - address;
  return address < piece.end() ? 0 : address - piece.end() + 1;
}

bool isHostVisible(AllocationKind kind) {
  return kind == AllocationKind::Managed || kind == AllocationKind::Pinned ||
         kind == AllocationKind::Registered;
}

} // namespace

const char *nameOf(AllocationKind kind) {
  switch (kind) {
  case AllocationKind::Device: return "device";
  case AllocationKind::Managed: return "managed";
  case AllocationKind::Pinned: return "pinned host";
  case AllocationKind::Registered: return "registered host";
  case AllocationKind::Global: return "global variable";
  case AllocationKind::Constant: return "constant";
  case AllocationKind::DeviceHeap: return "device heap";
  }
  return "unknown";
}

std::string Allocation::str() const {
  std::string who = name.empty() ? fmt::format("allocation {}", id) : fmt::format("'{}'", name);
  return fmt::format("{} ({}, {} byte{} at {:#x}{})", who, nameOf(kind), bytes, bytes == 1 ? "" : "s",
                     address, live ? "" : ", freed");
}

Memory::Memory(uint64_t capacityBytes) : capacity(capacityBytes) {
  for (uint64_t bytes = WantedReserve; bytes >= LeastReserve; bytes /= 2) {
    void *base = reserveFixed(bytes);
    if (!base)
      base = mmap(nullptr, bytes, PROT_NONE, ReserveFlags, -1, 0);
    if (base == MAP_FAILED)
      continue;
    reserved = {uint64_t(base), bytes};
    break;
  }
  cursor = reserved.base + pageBytes();
}

Memory::~Memory() {
  if (reserved.bytes)
    munmap(reinterpret_cast<void *>(reserved.base), reserved.bytes);
}

void Memory::countHostVisible(AllocationKind kind, int by) {
  if (isHostVisible(kind))
    hostVisible.fetch_add(by, std::memory_order_relaxed);
}

void Memory::forgetFreedIn(uint64_t address, uint64_t end) {
  auto it = pieces.upper_bound(address);
  if (it != pieces.begin())
    --it;
  while (it != pieces.end() && it->first < end)
    it = !it->second.live && it->second.end() > address ? pieces.erase(it) : std::next(it);
}

/// The next fresh address; once the range is used up, the first hole between live pieces.
uint64_t Memory::place(uint64_t bytes, uint64_t alignment) {
  uint64_t limit = programEnd(reserved.base, reserved.bytes);
  uint64_t need = bytes + gapAfter(bytes);
  uint64_t address = roundUp(cursor, alignment);
  if (!wrapped && address + need <= limit) {
    cursor = address + need;
    return address;
  }
  wrapped = true;
  address = roundUp(reserved.base + pageBytes(), alignment);
  for (const auto &[start, piece] : pieces) {
    if (!piece.live || start < reserved.base || start >= limit)
      continue;
    if (address + need <= start)
      break;
    address = roundUp(piece.end() + gapAfter(piece.bytes), alignment);
  }
  if (address + need > limit)
    return 0;
  forgetFreedIn(address, address + need);
  return address;
}

void *Memory::allocate(uint64_t bytes, AllocationKind kind, std::string name, uint64_t alignment) {
  std::unique_lock lock(guard);
  if (bytes > freeBytes())
    return nullptr;
  uint64_t held = bytes == 0 ? 1 : bytes;
  alignment = std::max<uint64_t>(alignment, 16);
  const uint64_t middle = programEnd(reserved.base, reserved.bytes),
                 high = heapEnd(reserved.base, reserved.bytes), top = reserved.base + reserved.bytes;
  uint64_t address = 0;
  if (!name.empty())
    address = belowOthers(pieces, high, top, held, alignment);
  else if (kind == AllocationKind::DeviceHeap)
    address = belowOthers(pieces, middle, high, held, alignment);
  if (address == 0)
    address = place(held, alignment);
  if (address == 0 || !makeUsable(address, held))
    return nullptr;
  pieces[address] = {nextId++, address, bytes, kind, true, std::move(name), false};
  used.fetch_add(bytes, std::memory_order_relaxed);
  countHostVisible(kind, 1);
  return reinterpret_cast<void *>(address);
}

void *Memory::allocateForSimulator(uint64_t bytes, AllocationKind kind, std::string name) {
  void *address = allocate(bytes, kind, std::move(name));
  std::unique_lock lock(guard);
  if (auto it = pieces.find(uint64_t(address)); it != pieces.end())
    it->second.isSimulators = true;
  return address;
}

FreeResult Memory::free(void *pointer) {
  uint64_t address = uint64_t(pointer);
  std::unique_lock lock(guard);
  auto it = pieces.upper_bound(address);
  if (it == pieces.begin())
    return FreeResult::NotAnAllocation;
  Allocation &piece = std::prev(it)->second;
  if (piece.address != address || piece.kind == AllocationKind::Registered)
    return piece.contains(address) && piece.live ? FreeResult::InsideAnAllocation
                                                 : FreeResult::NotAnAllocation;
  if (!piece.live)
    return FreeResult::AlreadyFreed;
  if (piece.isMapped)
    return FreeResult::IsMapped;
  piece.live = false;
  used.fetch_sub(piece.bytes, std::memory_order_relaxed);
  countHostVisible(piece.kind, -1);
  changes.fetch_add(1, std::memory_order_release);
  dropPages(piece.address, piece.bytes);
  if (++freed > 2 * RememberedFrees) {
    const uint64_t oldest = nextId > RememberedFrees ? nextId - RememberedFrees : 0;
    std::erase_if(pieces, [&](const auto &each) { return !each.second.live && each.second.id < oldest; });
    freed = RememberedFrees;
  }
  return FreeResult::Freed;
}

bool Memory::registerHost(void *pointer, uint64_t bytes) {
  uint64_t address = uint64_t(pointer);
  std::unique_lock lock(guard);
  auto after = pieces.lower_bound(address + bytes);
  if (bytes == 0 || (after != pieces.begin() && std::prev(after)->second.end() > address))
    return false;
  pieces[address] = {nextId++, address, bytes, AllocationKind::Registered, true, {}};
  countHostVisible(AllocationKind::Registered, 1);
  return true;
}

bool Memory::unregisterHost(void *pointer) {
  std::unique_lock lock(guard);
  auto it = pieces.find(uint64_t(pointer));
  if (it == pieces.end() || it->second.kind != AllocationKind::Registered)
    return false;
  // The memory belongs to the program, which may register it again: the piece is not remembered as freed.
  pieces.erase(it);
  countHostVisible(AllocationKind::Registered, -1);
  changes.fetch_add(1, std::memory_order_release);
  return true;
}

void Memory::addMapped(uint64_t address, uint64_t bytes) {
  std::unique_lock lock(guard);
  forgetFreedIn(address, address + bytes);
  Allocation piece{nextId++, address, bytes, AllocationKind::Device, true, {}};
  piece.isMapped = true;
  piece.access = MemoryAccess::None;
  pieces[address] = std::move(piece);
}

void Memory::removeMapped(uint64_t address) {
  std::unique_lock lock(guard);
  pieces.at(address).live = false;
  changes.fetch_add(1, std::memory_order_release);
}

void Memory::setAccess(uint64_t address, MemoryAccess access) {
  std::unique_lock lock(guard);
  pieces.at(address).access = access;
  changes.fetch_add(1, std::memory_order_release);
}

void Memory::forget(uint64_t address, uint64_t bytes) {
  std::unique_lock lock(guard);
  forgetFreedIn(address, address + bytes);
}

bool Memory::take(uint64_t bytes) {
  std::unique_lock lock(guard);
  if (bytes > freeBytes())
    return false;
  used.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

bool Memory::isAtFixedBase() const { return reserved.base == FixedBase; }

const Allocation *Memory::accessible(uint64_t address) const {
  auto it = pieces.upper_bound(address);
  if (it == pieces.begin())
    return nullptr;
  const Allocation &piece = std::prev(it)->second;
  return piece.live && piece.contains(address) && piece.access != MemoryAccess::None ? &piece : nullptr;
}

std::optional<Allocation> Memory::find(uint64_t address) const {
  std::shared_lock lock(guard);
  const Allocation *piece = accessible(address);
  return piece ? std::optional(*piece) : std::nullopt;
}

bool Memory::isAccessible(uint64_t address, uint64_t bytes, MemoryAccess least) const {
  std::shared_lock lock(guard);
  const uint64_t end = address + bytes;
  for (const Allocation *piece = accessible(address); piece && piece->access >= least;
       piece = accessible(address)) {
    if (end <= piece->end() && end >= address)
      return true;
    if (!piece->isMapped)
      return false;
    address = piece->end();
  }
  return false;
}

std::optional<Allocation> Memory::nearest(uint64_t address) const {
  std::shared_lock lock(guard);
  std::optional<Allocation> best;
  auto consider = [&](const Allocation &piece) {
    if (piece.isSimulators && !piece.contains(address))
      return;
    uint64_t near = distance(piece, address), known = best ? distance(*best, address) : ~uint64_t(0);
    if (!best || near < known || (near == known && piece.live && !best->live))
      best = piece;
  };
  // There may be freed pieces between the address and a live one, so look at a few pieces in both directions.
  constexpr int Reach = 16;
  auto at = pieces.upper_bound(address);
  auto back = at;
  for (int i = 0; i < Reach && back != pieces.begin(); ++i)
    consider((--back)->second);
  for (int i = 0; i < Reach && at != pieces.end(); ++i, ++at)
    consider(at->second);
  return best;
}

std::vector<Allocation> Memory::live() const {
  std::shared_lock lock(guard);
  std::vector<Allocation> found;
  for (const auto &[address, piece] : pieces)
    if (piece.live)
      found.push_back(piece);
  return found;
}

} // namespace heddle::vm
