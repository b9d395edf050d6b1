// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges lie below the one that the simulator uses (vm/AddressRange.h), above the shadow memory of a sanitizer, and far
// from what a system maps by itself. Reserved addresses cost nothing; a GPU may not have all of them. Managed memory is apart
// from pinned memory, since a replay has device memory in its place, and a driver reserves only large ranges where they are
// wanted.
#include "capture/preload/FixedMemory.h"

namespace heddle::capture {
namespace {

constexpr uint64_t kDeviceBase = 0x120000000000, kManagedBase = 0x180000000000, kPinnedBase = 0x190000000000;
constexpr uint64_t kMostBytes = uint64_t(1) << 40;

uint64_t addressOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

} // namespace

Arena *FixedMemory::deviceArena() {
  if (device || !error.empty())
    return device.get();
  const DevicePages::Reserved reserved = DevicePages::reserve(kDeviceBase, kMostBytes);
  error = reserved.error;
  if (error.empty())
    device = std::make_unique<Arena>(devicePages, kDeviceBase, reserved.bytes, reserved.granularity);
  return device.get();
}

void *FixedMemory::allocate(size_t bytes, trace::MemoryKind kind) {
  if (kind == trace::MemoryKind::Device) {
    Arena *arena = deviceArena();
    return arena ? reinterpret_cast<void *>(arena->allocate(bytes)) : nullptr;
  }
  const bool isManaged = kind == trace::MemoryKind::Managed;
  std::unique_ptr<Arena> &host = isManaged ? managed : pinned;
  if (!host)
    host = std::make_unique<Arena>(hostPages, isManaged ? kManagedBase : kPinnedBase, kMostBytes,
                                   HostPages::granularity);
  const uint64_t address = host->allocate(bytes);
  if (!address && error.empty())
    error = hostPages.error();
  return reinterpret_cast<void *>(address);
}

bool FixedMemory::free(void *pointer) {
  const uint64_t address = addressOf(pointer);
  for (Arena *arena : {device.get(), managed.get(), pinned.get()})
    if (arena && arena->owns(address))
      return arena->free(address);
  return false;
}

bool FixedMemory::owns(const void *pointer) const {
  for (const Arena *arena : {device.get(), managed.get(), pinned.get()})
    if (arena && arena->owns(addressOf(pointer)))
      return true;
  return false;
}

} // namespace heddle::capture
