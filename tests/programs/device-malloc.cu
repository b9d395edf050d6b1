// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory taken and given back by device code: malloc, free, new and delete, passed between launches.
#include "Check.h"

struct Item {
  int key;
  Item *next;
};

__device__ Item *heads[16];

__global__ void build(int perThread) {
  Item *list = nullptr;
  for (int i = 0; i < perThread; ++i) {
    Item *item = static_cast<Item *>(malloc(sizeof(Item)));
    item->key = threadIdx.x * 100 + i;
    item->next = list;
    list = item;
  }
  heads[threadIdx.x] = list;
}

__global__ void consume(int *sums) {
  int sum = 0;
  for (Item *item = heads[threadIdx.x]; item;) {
    Item *next = item->next;
    sum += item->key;
    free(item);
    item = next;
  }
  sums[threadIdx.x] = sum;
}

__global__ void newAndDelete(int *out) {
  int n = 1 + threadIdx.x % 5;
  int *cells = new int[n];
  for (int i = 0; i < n; ++i)
    cells[i] = i + int(threadIdx.x);
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += cells[i];
  delete[] cells;
  out[threadIdx.x] = sum;
}

int main() {
  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t(8) << 20));
  DeviceArray<int> sums(16), out(64);
  build<<<1, 16>>>(6);
  CHECK_LAUNCH();
  consume<<<1, 16>>>(sums);
  CHECK_LAUNCH();
  std::vector<int> got = sums.host();
  for (int i = 0; i < 16; ++i)
    CHECK(got[i] == i * 600 + 15);
  newAndDelete<<<1, 64>>>(out);
  CHECK_LAUNCH();
  got = out.host();
  for (int i = 0; i < 64; ++i) {
    int n = 1 + i % 5;
    CHECK(got[i] == n * i + n * (n - 1) / 2);
  }
  return pass();
}
