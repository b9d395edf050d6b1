// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's virtual memory management: error codes, and that the rest of the API knows memory that is mapped.
#include "cuda.h"
#include "cudart/Abi.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

constexpr size_t Unit = size_t(2) << 20;
// Free in a program without and with a sanitizer's shadow.
constexpr CUdeviceptr Wanted = 0x130000000000;

CUmemAllocationProp onDevice() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return properties;
}

class DriverVirtualMemory : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    ASSERT_EQ(cuMemAddressReserve(&range, 4 * Unit, 0, Wanted, 0), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuMemAddressFree(range, 4 * Unit), CUDA_SUCCESS); }

  CUmemGenericAllocationHandle create(size_t bytes = Unit) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, bytes, &properties, 0), CUDA_SUCCESS);
    return handle;
  }
  CUresult allow(CUdeviceptr address, size_t bytes,
                 CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc access = {properties.location, flags};
    return cuMemSetAccess(address, bytes, &access, 1);
  }

  const CUmemAllocationProp properties = onDevice();
  CUdeviceptr range = 0;
};

TEST_F(DriverVirtualMemory, AddressIsTheWantedOne) { EXPECT_EQ(range, Wanted); }

TEST_F(DriverVirtualMemory, WrongPropertiesAreRefused) {
  size_t granularity = 0;
  EXPECT_EQ(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
            CUDA_SUCCESS);
  EXPECT_EQ(granularity, Unit);
  CUmemAllocationProp wrong = properties;
  wrong.location.id = 1;
  EXPECT_EQ(cuMemGetAllocationGranularity(&granularity, &wrong, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_DEVICE);
  wrong = properties, wrong.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, Unit, &wrong, 0), CUDA_ERROR_INVALID_VALUE);
  wrong = properties, wrong.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(cuMemCreate(&handle, Unit, &wrong, 0), CUDA_ERROR_NOT_SUPPORTED);
  size_t free = 0, total = 0;
  ASSERT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(cuMemCreate(&handle, (total / Unit + 1) * Unit, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(DriverVirtualMemory, WrongArgumentsAreRefused) {
  CUdeviceptr other = 0;
  EXPECT_EQ(cuMemAddressReserve(&other, Unit + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&other, Unit, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&other, Unit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(range + Unit, Unit), CUDA_ERROR_INVALID_VALUE);
  const CUmemGenericAllocationHandle handle = create();
  EXPECT_EQ(cuMemMap(range, Unit, Unit, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(range, Unit), CUDA_ERROR_INVALID_VALUE) << "nothing is mapped there";
  EXPECT_EQ(cuMemUnmap(range, Unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "errors of the driver API are not the runtime API's";
}

TEST_F(DriverVirtualMemory, CopiesKnowMappedMemory) {
  const CUmemGenericAllocationHandle a = create(), b = create();
  ASSERT_EQ(cuMemMap(range, Unit, 0, a, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range + Unit, Unit, 0, b, 0), CUDA_SUCCESS);
  unsigned word = 5;
  EXPECT_EQ(cuMemcpyHtoD(range, &word, 4), CUDA_ERROR_INVALID_VALUE) << "no access yet";
  ASSERT_EQ(allow(range, 2 * Unit), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(range, 7, 2 * Unit / 4), CUDA_SUCCESS); // both mappings
  ASSERT_EQ(cuMemcpyDtoH(&word, range + Unit, 4), CUDA_SUCCESS);
  EXPECT_EQ(word, 7u);
  EXPECT_EQ(cuMemsetD32(range, 7, 2 * Unit / 4 + 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(allow(range, Unit, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoD(range, &word, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(range, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoD(range + Unit, range, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(a), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(b), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(range, 2 * Unit), CUDA_SUCCESS);
}

TEST_F(DriverVirtualMemory, PointerAttributesAreThoseOfDeviceMemory) {
  const CUmemGenericAllocationHandle handle = create(2 * Unit);
  ASSERT_EQ(cuMemMap(range, 2 * Unit, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(range, 2 * Unit), CUDA_SUCCESS);
  cudaPointerAttributes attributes;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, reinterpret_cast<void *>(range + Unit)), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, range + Unit), CUDA_SUCCESS);
  EXPECT_EQ(base, range);
  EXPECT_EQ(bytes, 2 * Unit);
  EXPECT_EQ(cudaFree(reinterpret_cast<void *>(range)), cudaErrorInvalidValue);
  cudaGetLastError();
  CUmemAllocationProp got = {};
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&got, handle), CUDA_SUCCESS);
  EXPECT_EQ(got.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(cuMemUnmap(range, 2 * Unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
}

TEST_F(DriverVirtualMemory, ManyHandlesNeedNoFileDescriptorEach) {
  std::vector<CUmemGenericAllocationHandle> handles;
  for (int i = 0; i < 3000; ++i) {
    handles.push_back(0);
    ASSERT_EQ(cuMemCreate(&handles.back(), Unit, &properties, 0), CUDA_SUCCESS) << i;
  }
  for (CUmemGenericAllocationHandle handle : handles)
    EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
}

} // namespace
