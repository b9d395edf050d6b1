// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory management of the driver API: addresses that a program reserves, physical memory that it creates, and
// mappings between them (vm/VirtualMemory). The one device has the one kind of memory: pinned, on device 0, not
// shared with other processes.
#include "cudart/Driver.h"
#include "cudart/ProgramCheck.h"
#include "vm/VirtualMemory.h"

#include <unistd.h>

using namespace heddle;
using namespace heddle::cudart;

namespace {

vm::VirtualMemory &virtualMemory() {
  static auto *one = new vm::VirtualMemory(Runtime::instance().simulator.memory());
  return *one;
}

/// The frame of these calls: what `body` says is wrong is an invalid value.
template <class Body> CUresult call(Body body, std::source_location where = std::source_location::current()) {
  return driverCall([&] {
    return api(
        [&](Runtime &runtime) -> cudaError_t {
          wrongArguments = body(runtime);
          return wrongArguments.empty() ? cudaSuccess : cudaErrorInvalidValue;
        },
        where);
  });
}

CUresult checkProperties(const CUmemAllocationProp *properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED; // memory of the host
  if (properties->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return properties->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_NOT_SUPPORTED;
}

bool isThisDevice(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id == 0;
}

bool accessOf(CUmemAccess_flags flags, vm::MemoryAccess &access) {
  switch (flags) {
  case CU_MEM_ACCESS_FLAGS_PROT_NONE: access = vm::MemoryAccess::None; return true;
  case CU_MEM_ACCESS_FLAGS_PROT_READ: access = vm::MemoryAccess::Read; return true;
  case CU_MEM_ACCESS_FLAGS_PROT_READWRITE: access = vm::MemoryAccess::ReadWrite; return true;
  default: return false;
  }
}

CUmemAccess_flags flagsOf(vm::MemoryAccess access) {
  switch (access) {
  case vm::MemoryAccess::None: return CU_MEM_ACCESS_FLAGS_PROT_NONE;
  case vm::MemoryAccess::Read: return CU_MEM_ACCESS_FLAGS_PROT_READ;
  case vm::MemoryAccess::ReadWrite: return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  return CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

} // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags) {
  return deviceCall(0, [&]() -> cudaError_t {
    if (CUresult wrong = checkProperties(properties))
      return cudaError_t(wrong);
    if (!granularity)
      return cudaErrorInvalidValue;
    *granularity = vm::VirtualMemory::Granularity;
    return cudaSuccess;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
  bool isFull = false;
  const CUresult result = call([&](Runtime &) -> std::string {
    const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
    if (!pointer || flags || !bytes || bytes % page || wanted % page)
      return "size and address must be multiples of the page size, and flags 0";
    if (alignment & (alignment - 1))
      return "the alignment must be 0 or a power of two";
    *pointer = virtualMemory().reserve(bytes, alignment, wanted);
    isFull = *pointer == 0;
    return {};
  });
  return isFull ? CUDA_ERROR_OUT_OF_MEMORY : result;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  return call([&](Runtime &) { return virtualMemory().release(pointer, bytes); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  return driverCall([&]() -> cudaError_t {
    if (CUresult wrong = checkProperties(properties))
      return cudaError_t(wrong);
    if (!handle || flags || !bytes || bytes % vm::VirtualMemory::Granularity)
      return cudaErrorInvalidValue;
    *handle = virtualMemory().create(bytes);
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return call([&](Runtime &) { return virtualMemory().drop(handle); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  return call([&](Runtime &) -> std::string {
    const std::optional<uint64_t> found = virtualMemory().handleAt(uint64_t(address));
    if (!handle || !found)
      return "no memory is mapped at the address";
    *handle = *found;
    return virtualMemory().retain(*found);
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle) {
  return call([&](Runtime &) -> std::string {
    if (!properties || !virtualMemory().isHandle(handle))
      return "the handle is not one of cuMemCreate, or was released";
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return {};
  });
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return call([&](Runtime &runtime) -> std::string {
    if (offset || flags)
      return "offset and flags must be 0";
    bool mayHoldData = false;
    std::string wrong = virtualMemory().map(pointer, bytes, handle, mayHoldData);
    if (wrong.empty() && runtime.check)
      runtime.check->mapped(hostPointer(pointer), bytes, mayHoldData);
    return wrong;
  });
}

/// Kernels that still use the memory finish first: its pages belong to this process too.
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  cudaError_t waited = cudaSuccess;
  const CUresult result = call([&](Runtime &runtime) -> std::string {
    waited = runtime.synchronizeAll();
    if (waited != cudaSuccess)
      return {};
    std::string wrong = virtualMemory().unmap(pointer, bytes);
    if (wrong.empty() && runtime.check)
      runtime.check->unmapped(hostPointer(pointer), bytes);
    return wrong;
  });
  return waited != cudaSuccess ? resultOf(waited) : result;
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *descriptions,
                        size_t count) {
  return call([&](Runtime &) -> std::string {
    if (!descriptions || !count)
      return "there is no description";
    for (size_t i = 0; i < count; ++i) {
      vm::MemoryAccess access;
      if (!isThisDevice(descriptions[i].location))
        return "memory of device 0 can be accessed by device 0 alone";
      if (!accessOf(descriptions[i].flags, access))
        return "the flags are not CU_MEM_ACCESS_FLAGS_PROT_NONE, READ or READWRITE";
      if (std::string wrong = virtualMemory().setAccess(pointer, bytes, access); !wrong.empty())
        return wrong;
    }
    return {};
  });
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer) {
  return call([&](Runtime &runtime) -> std::string {
    if (!flags || !location || !isThisDevice(*location))
      return "the location is not device 0";
    if (!virtualMemory().handleAt(pointer))
      return "no memory is mapped at the address";
    const std::optional<vm::Allocation> piece = runtime.simulator.memory().find(pointer);
    *flags = piece ? flagsOf(piece->access) : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return {};
  });
}
}
