// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and values are those of cuda.h, declared here, so that any version of CUDA's headers will do.
#include "capture/preload/DriverMemory.h"

#include "trace/preload/Driver.h"

#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // Linux 4.17; older ones take the address as a wish
#endif

namespace heddle::capture {
namespace {

using Pointer = unsigned long long;
using Handle = unsigned long long;

struct Location {
  int type = 1; // CU_MEM_LOCATION_TYPE_DEVICE
  int device = 0;
};

struct AllocationProperties {
  int type = 1; // CU_MEM_ALLOCATION_TYPE_PINNED
  int handleTypes = 0;
  Location location;
  void *win32 = nullptr;
  unsigned char flags[8] = {};
};

struct Access {
  Location location;
  int flags = 3; // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};

AllocationProperties propertiesOfDevice() {
  AllocationProperties properties;
  REAL(cudaGetDevice)(&properties.location.device);
  return properties;
}

} // namespace

DevicePages::Reserved DevicePages::reserve(uint64_t base, uint64_t mostBytes) {
  Reserved reserved;
  REAL(cudaFree)(nullptr); // the driver's functions need the runtime's context
  auto *granularityOf = DRIVER(cuMemGetAllocationGranularity, size_t *, const AllocationProperties *, int);
  auto *reserveAt = DRIVER(cuMemAddressReserve, Pointer *, size_t, size_t, Pointer, unsigned long long);
  auto *freeRange = DRIVER(cuMemAddressFree, Pointer, size_t);
  if (!granularityOf || !reserveAt || !freeRange) {
    reserved.error = "the driver has no functions for virtual memory";
    return reserved;
  }
  const AllocationProperties properties = propertiesOfDevice();
  size_t granularity = 0;
  if (granularityOf(&granularity, &properties, 0) != 0 || granularity == 0) {
    reserved.error = "the device does not support virtual memory management";
    return reserved;
  }
  for (uint64_t bytes = mostBytes; bytes >= granularity && bytes >= 1 << 30; bytes /= 2) {
    Pointer got = 0;
    if (reserveAt(&got, size_t(bytes), 0, base, 0) != 0)
      continue;
    if (got == base) {
      reserved.bytes = bytes;
      reserved.granularity = granularity;
      return reserved;
    }
    freeRange(got, size_t(bytes));
  }
  reserved.error = "the range of addresses that captures use cannot be reserved";
  return reserved;
}

bool DevicePages::map(uint64_t address, uint64_t bytes) {
  auto *create = DRIVER(cuMemCreate, Handle *, size_t, const AllocationProperties *, unsigned long long);
  auto *mapAt = DRIVER(cuMemMap, Pointer, size_t, size_t, Handle, unsigned long long);
  auto *setAccess = DRIVER(cuMemSetAccess, Pointer, size_t, const Access *, size_t);
  auto *release = DRIVER(cuMemRelease, Handle);
  if (!create || !mapAt || !setAccess || !release)
    return false;
  const AllocationProperties properties = propertiesOfDevice();
  Access access;
  access.location = properties.location;
  Handle handle = 0;
  if (create(&handle, size_t(bytes), &properties, 0) != 0)
    return false;
  bool isMapped = mapAt(address, size_t(bytes), 0, handle, 0) == 0;
  if (isMapped && setAccess(address, size_t(bytes), &access, 1) != 0) {
    unmap(address, bytes);
    isMapped = false;
  }
  release(handle); // the memory itself stays while it is mapped
  return isMapped;
}

void DevicePages::unmap(uint64_t address, uint64_t bytes) {
  if (auto *function = DRIVER(cuMemUnmap, Pointer, size_t))
    function(address, size_t(bytes));
}

bool HostPages::map(uint64_t address, uint64_t bytes) {
  void *wanted = reinterpret_cast<void *>(address);
  void *got = mmap(wanted, size_t(bytes), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    if (got != MAP_FAILED)
      munmap(got, size_t(bytes));
    whyNot = "the range of host addresses that captures use is occupied";
    return false;
  }
  const cudaError_t error =
      REAL(cudaHostRegister)(wanted, size_t(bytes), cudaHostRegisterPortable | cudaHostRegisterMapped);
  void *device = nullptr;
  if (error == cudaSuccess && REAL(cudaHostGetDevicePointer)(&device, wanted, 0) == cudaSuccess &&
      device == wanted)
    return true;
  whyNot = error == cudaSuccess ? "host memory has other addresses on the device than on the host"
                                : "host memory cannot be registered";
  if (error == cudaSuccess)
    REAL(cudaHostUnregister)(wanted);
  REAL(cudaGetLastError)();
  munmap(wanted, size_t(bytes));
  return false;
}

void HostPages::unmap(uint64_t address, uint64_t bytes) {
  void *memory = reinterpret_cast<void *>(address);
  if (REAL(cudaHostUnregister)(memory) != cudaSuccess)
    REAL(cudaGetLastError)();
  munmap(memory, size_t(bytes));
}

} // namespace heddle::capture
