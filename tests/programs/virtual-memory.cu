// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Virtual memory management of the driver API: a vector that grows in place behind a pointer that stays, memory at two
// addresses, memory that moves with its contents, and what is refused.
#include "Check.h"

#include <cuda.h>

#define CHECK_CU(call)                                                                                       \
  do {                                                                                                       \
    CUresult result_ = (call);                                                                               \
    if (result_ != CUDA_SUCCESS) {                                                                           \
      const char *name_ = "?";                                                                               \
      cuGetErrorName(result_, &name_);                                                                       \
      std::printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);                                 \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

__global__ void fill(unsigned *data, unsigned n, unsigned first) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = first + i;
}

static CUmemAllocationProp onDevice() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return properties;
}

static size_t granularity() {
  size_t bytes = 0;
  const CUmemAllocationProp properties = onDevice();
  CHECK_CU(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CHECK(bytes > 0 && (bytes & (bytes - 1)) == 0);
  return bytes;
}

static CUmemGenericAllocationHandle create(size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  const CUmemAllocationProp properties = onDevice();
  CHECK_CU(cuMemCreate(&handle, bytes, &properties, 0));
  return handle;
}

static void allow(CUdeviceptr address, size_t bytes, CUmemAccess_flags flags) {
  CUmemAccessDesc access = {};
  access.location = onDevice().location;
  access.flags = flags;
  CHECK_CU(cuMemSetAccess(address, bytes, &access, 1));
}

static void launchFill(CUdeviceptr address, size_t bytes, unsigned first) {
  const unsigned n = unsigned(bytes / sizeof(unsigned));
  fill<<<(n + 255) / 256, 256>>>(reinterpret_cast<unsigned *>(address), n, first);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
}

static unsigned wordAt(CUdeviceptr address) {
  unsigned word = 0;
  CHECK_CU(cuMemcpyDtoH(&word, address, sizeof word));
  return word;
}

/// One range of addresses, and more memory behind it from time to time: pointers stay.
static void growingVector(size_t unit) {
  CUdeviceptr base = 0;
  CHECK_CU(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
  CUmemGenericAllocationHandle first = create(unit), second = create(2 * unit);
  CHECK_CU(cuMemMap(base, unit, 0, first, 0));
  allow(base, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  launchFill(base, unit, 7);
  CHECK_CU(cuMemMap(base + unit, 2 * unit, 0, second, 0));
  allow(base, 3 * unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(wordAt(base + unit - 4) == 7 + unsigned(unit / 4) - 1);
  launchFill(base, 3 * unit, 100); // over the seam
  std::vector<unsigned> all(3 * unit / 4);
  CHECK_CU(cuMemcpyDtoH(all.data(), base, 3 * unit));
  for (size_t i = 0; i < all.size(); ++i)
    CHECK(all[i] == 100 + i);
  // A handle may be released as soon as its memory is mapped.
  CHECK_CU(cuMemRelease(first));
  CHECK_CU(cuMemRelease(second));
  CHECK(wordAt(base + 2 * unit) == 100 + unsigned(2 * unit / 4));
  CHECK(cuMemAddressFree(base, 4 * unit) != CUDA_SUCCESS); // still mapped
  CHECK_CU(cuMemUnmap(base, 3 * unit));
  CHECK_CU(cuMemAddressFree(base, 4 * unit));
}

/// One piece of memory at two addresses, then at a third: what was written is there.
static void aliasesAndMoves(size_t unit) {
  CUdeviceptr range = 0;
  CHECK_CU(cuMemAddressReserve(&range, 3 * unit, 0, 0, 0));
  CUmemGenericAllocationHandle memory = create(unit);
  CHECK_CU(cuMemMap(range, unit, 0, memory, 0));
  CHECK_CU(cuMemMap(range + unit, unit, 0, memory, 0));
  allow(range, 2 * unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  launchFill(range, unit, 1000);
  CHECK(wordAt(range + unit + 4) == 1001);
  CHECK_CU(cuMemUnmap(range, unit));
  CHECK_CU(cuMemUnmap(range + unit, unit));
  CHECK_CU(cuMemMap(range + 2 * unit, unit, 0, memory, 0));
  allow(range + 2 * unit, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(wordAt(range + 2 * unit + 8) == 1002);
  CUmemGenericAllocationHandle again = 0;
  CHECK_CU(cuMemRetainAllocationHandle(&again, reinterpret_cast<void *>(range + 2 * unit)));
  CHECK(again == memory);
  CHECK_CU(cuMemRelease(again));
  CHECK_CU(cuMemRelease(memory));
  CHECK_CU(cuMemUnmap(range + 2 * unit, unit));
  CHECK_CU(cuMemAddressFree(range, 3 * unit));
}

static void wrongCalls(size_t unit) {
  CUdeviceptr range = 0;
  CHECK_CU(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  CUmemGenericAllocationHandle memory = create(unit), odd = 0;
  const CUmemAllocationProp properties = onDevice();
  CHECK(cuMemCreate(&odd, unit + 1, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemMap(range + 1, unit, 0, memory, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemMap(range, unit, 0, memory, 0));
  CHECK(cuMemMap(range, unit, 0, memory, 0) != CUDA_SUCCESS); // taken
  unsigned long long flags = 99;
  CHECK_CU(cuMemGetAccess(&flags, &properties.location, range));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  unsigned word = 0;
  CHECK(cuMemcpyDtoH(&word, range, 4) != CUDA_SUCCESS); // no access yet
  allow(range, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK_CU(cuMemGetAccess(&flags, &properties.location, range));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK_CU(cuMemcpyDtoH(&word, range, 4));
  CHECK_CU(cuMemUnmap(range, unit));
  CHECK_CU(cuMemRelease(memory));
  CHECK_CU(cuMemAddressFree(range, 2 * unit));
}

/// Programs that are not linked with libcuda ask for the functions by name.
static void byName() {
  for (const char *name :
       {"cuMemAddressReserve", "cuMemAddressFree", "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",
        "cuMemSetAccess", "cuMemGetAccess", "cuMemGetAllocationGranularity", "cuMemRetainAllocationHandle"}) {
    void *function = nullptr;
    CHECK_CU(cuGetProcAddress(name, &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
    CHECK(function != nullptr);
  }
}

int main() {
  CHECK_CUDA(cudaFree(nullptr));
  int isSupported = 0;
  CHECK_CU(cuDeviceGetAttribute(&isSupported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  CHECK(isSupported == 1);
  const size_t unit = granularity();
  growingVector(unit);
  aliasesAndMoves(unit);
  wrongCalls(unit);
  byName();
  return pass();
}
