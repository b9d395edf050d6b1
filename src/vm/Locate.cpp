// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the addresses of a memory instruction to host pointers, and checks them.
//
// An access is usually inside the allocation that the same instruction accessed last time, so each site stores
// that range, and a warp is checked by the least and the greatest of its addresses. Only if that fails are lanes
// looked up one by one: among the ranges of recently used pages, then in the table of allocations of the
// memory.
#include "vm/Block.h"
#include "vm/ClusterObserver.h"
#include "vm/Grid.h"

#include <cstring>

namespace heddle::vm {
namespace {

struct Extent {
  uint64_t least = ~uint64_t(0), greatest = 0, bits = 0;
};

Extent extentOf(const uint64_t *address, uint32_t mask) {
  Extent e;
  if (mask == AllLanes) {
    HEDDLE_EACH_LANE(lane) {
      e.least = address[lane] < e.least ? address[lane] : e.least;
      e.greatest = address[lane] > e.greatest ? address[lane] : e.greatest;
      e.bits |= address[lane];
    }
    return e;
  }
  eachLane(mask, [&](unsigned lane) {
    e.least = std::min(e.least, address[lane]);
    e.greatest = std::max(e.greatest, address[lane]);
    e.bits |= address[lane];
  });
  return e;
}

const char *verb(bool write) { return write ? "store" : "load"; }

unsigned firstMisaligned(const uint64_t *address, uint32_t mask, uint32_t alignment) {
  while (!(address[firstLane(mask)] & (alignment - 1)))
    mask &= mask - 1;
  return firstLane(mask);
}

bool reportMisaligned(Warp &warp, const Inst &in, unsigned lane, uint64_t address, const char *space,
                      uint32_t bytes, uint32_t alignment, bool write) {
  warp.faultAt(in, lane, FaultKind::Misaligned, address,
               fmt::format("{} {} of {} bytes at {:#x} is not aligned to {} bytes", space, verb(write), bytes,
                           address, alignment));
  return false;
}

/// No index of 32 bits reaches an address that far from an allocation: the pointer is wrong, not the index.
constexpr uint64_t NoLongerNear = uint64_t(1) << 37;

uint64_t distanceTo(const Allocation &allocation, uint64_t address) {
  if (address < allocation.address)
    return allocation.address - address;
  return address < allocation.end() ? 0 : address - allocation.end();
}

/// Why an address is invalid, with the allocation that it belongs to or is nearest to.
bool reportGlobal(Warp &warp, const Inst &in, unsigned lane, uint64_t address, uint32_t bytes, bool write,
                  MemorySpace space) {
  const Memory &memory = warp.block->grid->memory;
  std::optional<Allocation> near = memory.nearest(address);
  const char *name = space == MemorySpace::Constant ? "constant" : "global";
  std::string what =
      fmt::format("{} {} of {} byte{} at {:#x}", name, verb(write), bytes, bytes == 1 ? "" : "s", address);
  if (address >> WindowShift == SharedWindow >> WindowShift ||
      address >> WindowShift == LocalWindow >> WindowShift)
    return warp.faultAt(in, lane, FaultKind::WrongSpace, address,
                        what + (address >> WindowShift == SharedWindow >> WindowShift
                                    ? " goes to shared memory: it is a generic address"
                                    : " goes to local memory: it is a generic address")),
           false;
  if (address < 4096)
    return warp.faultAt(in, lane, FaultKind::OutOfBounds, address, what + " goes through a null pointer"),
           false;
  if (!near || distanceTo(*near, address) >= NoLongerNear)
    return warp.faultAt(in, lane, FaultKind::OutOfBounds, address, what + " is outside every allocation"),
           false;
  if (near->live && near->contains(address) && address + bytes <= near->end()) {
    if (near->access == MemoryAccess::None)
      return warp.faultAt(in, lane, FaultKind::OutOfBounds, address,
                          what + " is in memory that is mapped without access",
                          {"it belongs to " + near->str(), "cuMemSetAccess makes it accessible"}),
             false;
    if (write && near->access == MemoryAccess::Read && near->kind != AllocationKind::Constant)
      return warp.faultAt(in, lane, FaultKind::ReadOnly, address,
                          what + " writes memory that is mapped for reading only",
                          {"it belongs to " + near->str()}),
             false;
    if (write)
      return warp.faultAt(in, lane, FaultKind::ReadOnly, address, what + " writes constant memory",
                          {"it belongs to " + near->str()}),
             false;
    return warp.faultAt(in, lane, FaultKind::WrongSpace, address, what + " is not in constant memory",
                        {"it belongs to " + near->str()}),
           false;
  }
  if (!near->live && near->contains(address))
    return warp.faultAt(in, lane, FaultKind::UseAfterFree, address, what + " touches freed memory",
                        {fmt::format("it is {} bytes into {}", address - near->address, near->str())}),
           false;
  std::string where =
      near->contains(address)
          ? fmt::format("it starts {} bytes before the end of {}", near->end() - address, near->str())
      : address == near->end() ? fmt::format("it is directly after the end of {}", near->str())
      : address > near->end()
          ? fmt::format("it is {} bytes past the end of {}", address - near->end(), near->str())
          : fmt::format("it is {} bytes before {}", near->address - address, near->str());
  warp.faultAt(in, lane, FaultKind::OutOfBounds, address, what + " is outside every allocation", {where});
  return false;
}

bool inside(const Core::Range &range, uint64_t address, uint32_t bytes) {
  return address >= range.begin && address < range.end && range.end - address >= bytes;
}

/// Looks one address up; true with its range when the access is allowed.
bool findRange(Warp &warp, uint64_t address, uint32_t bytes, bool write, MemorySpace space,
               Core::Range &range) {
  Core &core = *warp.core;
  Core::Range &recent = (write ? core.recentStores : core.recentLoads)[(address >> 12) % Core::Recent];
  if (space != MemorySpace::Constant && inside(recent, address, bytes)) {
    range = recent;
    return true;
  }
  std::optional<Allocation> found = warp.block->grid->memory.find(address);
  if (!found || address + bytes > found->end())
    return false;
  const bool constant = found->kind == AllocationKind::Constant;
  if ((write && (constant || found->access == MemoryAccess::Read)) ||
      (space == MemorySpace::Constant && !constant))
    return false;
  range = {found->address, found->end()};
  if (space != MemorySpace::Constant)
    recent = range;
  return true;
}

bool locateGlobal(Warp &warp, const Inst &in, uint32_t mask, const uint64_t *address, MemorySpace space,
                  uint32_t bytes, uint32_t alignment, bool write) {
  Core::Range &range = (write ? warp.core->stores : warp.core->loads)[in.site];
  Extent e = extentOf(address, mask);
  if (e.bits & (alignment - 1)) {
    unsigned lane = firstMisaligned(address, mask, alignment);
    return reportMisaligned(warp, in, lane, address[lane], "global", bytes, alignment, write);
  }
  if (e.least >= range.begin && e.greatest + bytes <= range.end && e.greatest + bytes > e.greatest)
    return true;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = firstLane(left);
    if (!inside(range, address[lane], bytes) && !findRange(warp, address[lane], bytes, write, space, range))
      return reportGlobal(warp, in, lane, address[lane], bytes, write, space);
  }
  return true;
}

/// The host pointer of a shared address, possibly of another block of the cluster; nullptr if it is invalid.
uint8_t *locateInCluster(Block &block, uint64_t address, uint32_t bytes) {
  const uint64_t offset = address & SharedOffset;
  const Block *home = block.homeOf(address);
  return home && offset + bytes <= home->sharedBytes ? home->shared + offset : nullptr;
}

/// Which block and offset of the cluster an invalid address names, for addresses made with mapa.
std::vector<std::string> explainShared(Block &block, uint64_t address) {
  const uint64_t named = address >> RankShift;
  if (block.cluster->hasSeveral() && named && named <= block.cluster->blocks.size())
    return {fmt::format("it is offset {:#x} of block {} of the cluster{}", address & SharedOffset, named - 1,
                        block.homeOf(address) ? "" : ", all of whose threads have exited")};
  if (address >> 32)
    if (auto found = block.grid->memory.find(address))
      return {"as a global address it belongs to " + found->str()};
  return {};
}

bool locateShared(Warp &warp, const Inst &in, uint32_t mask, const uint64_t *address, uint32_t bytes,
                  uint32_t alignment, bool write, Pointers &out) {
  Extent e = extentOf(address, mask);
  Block &block = *warp.block;
  if (e.bits & (alignment - 1)) {
    unsigned lane = firstMisaligned(address, mask, alignment);
    return reportMisaligned(warp, in, lane, address[lane], "shared", bytes, alignment, write);
  }
  if (e.greatest + bytes > block.sharedBytes || e.greatest + bytes < e.greatest) {
    uint32_t left = mask;
    for (; left; left &= left - 1) {
      uint8_t *at = locateInCluster(block, address[firstLane(left)], bytes);
      if (!at)
        break;
      out.at[firstLane(left)] = at; // may overwrite the address itself
    }
    if (!left)
      return true;
    const unsigned lane = firstLane(left);
    const bool looksGlobal = address[lane] >> 32 && block.grid->memory.find(address[lane]);
    warp.faultAt(in, lane, looksGlobal ? FaultKind::WrongSpace : FaultKind::OutOfBounds, address[lane],
                 fmt::format("shared {} of {} bytes at {:#x} is outside the block's {} bytes", verb(write),
                             bytes, address[lane], block.sharedBytes),
                 explainShared(block, address[lane]));
    return false;
  }
  sharedPointers(block, address, out);
  return true;
}

bool locateLocal(Warp &warp, const Inst &in, uint32_t mask, const uint64_t *address, uint32_t bytes,
                 uint32_t alignment, bool write, Pointers &out) {
  Extent e = extentOf(address, mask);
  if (e.bits & (alignment - 1)) {
    unsigned lane = firstMisaligned(address, mask, alignment);
    return reportMisaligned(warp, in, lane, address[lane], "local", bytes, alignment, write);
  }
  const uint32_t top = warp.frame().localTop;
  if (e.greatest + bytes > top || e.greatest + bytes < e.greatest) {
    uint32_t left = mask;
    while (address[firstLane(left)] <= top && address[firstLane(left)] + bytes <= top)
      left &= left - 1;
    unsigned lane = firstLane(left);
    warp.faultAt(in, lane, FaultKind::OutOfBounds, address[lane],
                 fmt::format("local {} of {} bytes at {:#x} is outside the thread's {} bytes of stack",
                             verb(write), bytes, address[lane], top));
    return false;
  }
  HEDDLE_EACH_LANE(lane)
  out.at[lane] = warp.local.data() + size_t(lane) * warp.localStride + uint32_t(address[lane]);
  return true;
}

/// Global addresses are host pointers, and most callers have them in place already.
void takeAsPointers(const uint64_t *address, Pointers &out) {
  if (static_cast<const void *>(address) != static_cast<const void *>(out.at))
    std::memcpy(out.at, address, sizeof out.at);
}

uint32_t lanesOfWindow(const uint64_t *address, uint32_t mask, uint64_t window) {
  uint32_t found = 0;
  HEDDLE_EACH_LANE(lane) found |= uint32_t((address[lane] >> WindowShift) == window >> WindowShift) << lane;
  return found & mask;
}

} // namespace

void Warp::addresses(const Inst &in, uint64_t *out) {
  const uint64_t offset = uint64_t(in.imm);
  switch (in.address) {
  case AddressForm::Reg64: {
    const uint64_t *from = row<uint64_t>(in.a);
    HEDDLE_EACH_LANE(lane) out[lane] = from[lane] + offset;
    return;
  }
  case AddressForm::Reg32: {
    const uint32_t *from = row<uint32_t>(in.a);
    HEDDLE_EACH_LANE(lane) out[lane] = uint32_t(from[lane] + uint32_t(offset));
    return;
  }
  case AddressForm::Absolute: HEDDLE_EACH_LANE(lane) out[lane] = offset; return;
  case AddressForm::Frame: {
    const uint64_t at = frame().localBase + offset;
    HEDDLE_EACH_LANE(lane) out[lane] = at;
    return;
  }
  case AddressForm::Parameters: {
    const uint64_t at = block->grid->parameters + offset;
    HEDDLE_EACH_LANE(lane) out[lane] = at;
    return;
  }
  }
}

bool Warp::locateAt(const Inst &in, uint32_t mask, const uint64_t *address, MemorySpace space, uint32_t bytes,
                    uint32_t alignment, bool write, Pointers &out) {
  switch (space) {
  case MemorySpace::Shared: {
    // A generic pointer that is used as a shared address is accepted, as by hardware: its offset is used.
    return locateShared(*this, in, mask, address, bytes, alignment, write, out);
  }
  case MemorySpace::Local: return locateLocal(*this, in, mask, address, bytes, alignment, write, out);
  case MemorySpace::Generic: break;
  default:
    if (!locateGlobal(*this, in, mask, address, space, bytes, alignment, write))
      return false;
    takeAsPointers(address, out);
    return true;
  }
  const uint32_t shared = lanesOfWindow(address, mask, SharedWindow),
                 local_ = lanesOfWindow(address, mask, LocalWindow);
  const uint32_t global = mask & ~shared & ~local_;
  if (global) {
    if (!locateGlobal(*this, in, global, address, MemorySpace::Generic, bytes, alignment, write))
      return false;
    if (global == mask) {
      takeAsPointers(address, out);
      return true;
    }
    eachLane(global, [&](unsigned lane) { out.at[lane] = reinterpret_cast<uint8_t *>(address[lane]); });
  }
  alignas(64) uint64_t offset[Lanes];
  HEDDLE_EACH_LANE(lane) offset[lane] = address[lane] & WindowOffset;
  Pointers part;
  auto takeOver = [&](uint32_t lanes) {
    eachLane(lanes, [&](unsigned lane) { out.at[lane] = part.at[lane]; });
  };
  if (shared) {
    if (!locateShared(*this, in, shared, offset, bytes, alignment, write, shared == mask ? out : part))
      return false;
    if (shared == mask)
      return true;
    takeOver(shared);
  }
  if (local_) {
    if (!locateLocal(*this, in, local_, offset, bytes, alignment, write, part))
      return false;
    takeOver(local_);
  }
  return true;
}

bool Warp::locate(const Inst &in, uint32_t mask, uint32_t bytes, bool write, Pointers &out) {
  uint64_t *address = reinterpret_cast<uint64_t *>(out.at);
  addresses(in, address);
  return locateAt(in, mask, address, in.space, bytes, bytes, write, out);
}

void Warp::noteAccess(const Inst &in, uint32_t mask, const uint64_t *address, MemorySpace space,
                      uint32_t bytes, AccessKind kind, Scope scope, Ordering ordering, const Pointers *at,
                      const StoredRows *stored) {
  AccessEvent event{Space::Global, kind, scope, ordering, mask, bytes, address, in.elements};
  event.at = at ? at->at : nullptr;
  event.stored = stored;
  Observer &observer = *block->grid->observer;
  auto notify = [&](Space which, uint32_t lanes) {
    event.space = which, event.mask = lanes;
    if (lanes)
      observer.access(ref(), siteOf(in), event);
  };
  // Observers see the accesses of a block to its own shared memory; those to other blocks' only if they request them.
  uint64_t own[Lanes];
  auto notifyShared = [&](uint32_t lanes) {
    if (!block->cluster->hasSeveral())
      return notify(Space::Shared, lanes);
    Block *homes[Lanes] = {};
    uint32_t remote = 0;
    eachLane(lanes, [&](unsigned lane) {
      own[lane] = event.addresses[lane] & SharedOffset;
      homes[lane] = block->homeOf(event.addresses[lane]);
      remote |= uint32_t(homes[lane] != block) << lane;
    });
    event.addresses = own;
    notify(Space::Shared, lanes & ~remote);
    auto *others = remote ? dynamic_cast<ClusterObserver *>(&observer) : nullptr;
    while (others && remote) {
      Block *home = homes[firstLane(remote)];
      uint32_t there = 0;
      eachLane(remote, [&](unsigned lane) { there |= uint32_t(homes[lane] == home) << lane; });
      remote &= ~there;
      event.space = Space::Shared, event.mask = there;
      if (home)
        others->remoteAccess(ref(), siteOf(in), event, home->index);
    }
  };
  switch (space) {
  case MemorySpace::Global: return notify(Space::Global, mask);
  case MemorySpace::Constant: return notify(Space::Constant, mask);
  case MemorySpace::Shared: return notifyShared(mask);
  case MemorySpace::Local: return notify(Space::Local, mask);
  case MemorySpace::Param: return notify(Space::Param, mask);
  case MemorySpace::Generic: break;
  }
  const uint32_t shared = lanesOfWindow(address, mask, SharedWindow),
                 inLocal = lanesOfWindow(address, mask, LocalWindow);
  uint64_t offset[Lanes];
  for (unsigned lane = 0; lane < Lanes; ++lane)
    offset[lane] = address[lane] & WindowOffset;
  notify(Space::Global, mask & ~shared & ~inLocal);
  event.addresses = offset;
  notify(Space::Local, inLocal);
  notifyShared(shared);
}

/// Ensures that every lane has `bytes` of stack.
bool Warp::growLocal(const Inst &in, uint32_t mask, uint32_t bytes) {
  if (bytes <= localStride)
    return true;
  const uint32_t limit = block->grid->stackBytes;
  if (bytes > limit) {
    fault(in, mask, FaultKind::StackOverflow,
          fmt::format("stack overflow: {} bytes needed, a thread has {}", bytes, limit));
    return false;
  }
  uint32_t stride = std::min(std::max(bytes, localStride * 2), std::max(limit, bytes));
  stride = (stride + 15) & ~15u;
  std::vector<uint8_t> larger(size_t(stride) * Lanes, 0);
  for (unsigned lane = 0; lane < Lanes && localStride; ++lane)
    std::memcpy(larger.data() + size_t(lane) * stride, local.data() + size_t(lane) * localStride,
                localStride);
  local.swap(larger);
  localStride = stride;
  return true;
}

} // namespace heddle::vm
