// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that host and device share: managed allocations, mapped and registered host memory.
#include "Check.h"

struct Node {
  int value;
  Node *next;
};

__global__ void sumList(const Node *list, int *sum) {
  *sum = 0;
  for (; list; list = list->next)
    *sum += list->value;
}

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += i;
}

int main() {
  Node *list = nullptr;
  for (int i = 1; i <= 10; ++i) {
    Node *node;
    CHECK_CUDA(cudaMallocManaged(reinterpret_cast<void **>(&node), sizeof(Node)));
    *node = {i, list};
    list = node;
  }
  int *sum;
  CHECK_CUDA(cudaMallocManaged(reinterpret_cast<void **>(&sum), sizeof(int)));
  sumList<<<1, 1>>>(list, sum);
  CHECK_LAUNCH();
  CHECK(*sum == 55);
  cudaPointerAttributes attributes;
  CHECK_CUDA(cudaPointerGetAttributes(&attributes, sum));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  while (list) {
    Node *next = list->next;
    CHECK_CUDA(cudaFree(list));
    list = next;
  }
  CHECK_CUDA(cudaFree(sum));

  int *mapped, *device;
  CHECK_CUDA(cudaHostAlloc(reinterpret_cast<void **>(&mapped), 64 * sizeof(int), cudaHostAllocMapped));
  CHECK_CUDA(cudaHostGetDevicePointer(reinterpret_cast<void **>(&device), mapped, 0));
  for (int i = 0; i < 64; ++i)
    mapped[i] = 100;
  increment<<<1, 64>>>(device, 64);
  CHECK_LAUNCH();
  for (int i = 0; i < 64; ++i)
    CHECK(mapped[i] == 100 + i);
  CHECK_CUDA(cudaFreeHost(mapped));

  std::vector<int> own(1000, 7);
  CHECK_CUDA(cudaHostRegister(own.data(), own.size() * sizeof(int), cudaHostRegisterMapped));
  CHECK_CUDA(cudaHostGetDevicePointer(reinterpret_cast<void **>(&device), own.data(), 0));
  increment<<<4, 256>>>(device, 1000);
  CHECK_LAUNCH();
  CHECK_CUDA(cudaHostUnregister(own.data()));
  for (int i = 0; i < 1000; ++i)
    CHECK(own[i] == 7 + i);
  return pass();
}
