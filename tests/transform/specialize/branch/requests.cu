// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests against a table in shared memory, which the block loads first and meets. Blocks have two
// dimensions; a request is identified by both, and counts itself in global memory.
#include "../Harness.h"

constexpr int Width = 16, Height = 6, Table = 64;

__global__ void __launch_bounds__(Width *Height)
    answer(float *out, unsigned *served, const int *requests, const float *table, int columns, int rows) {
  __shared__ float cache[Table];
  for (int i = threadIdx.y * Width + threadIdx.x; i < Table; i += Width * Height)
    cache[i] = table[i];
  __syncthreads();

  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  if (x < columns && y < rows) {
    const int request = requests[y * columns + x];
    const int operation = request % 4, at = request / 4 % Table;
    switch (operation) {
    case 0: out[y * columns + x] = cache[at]; break;
    case 1: {
      float sum = 0;
      for (int i = 0; i <= at; ++i)
        sum += cache[i];
      out[y * columns + x] = sum;
      break;
    }
    case 2: {
      float most = cache[0];
      for (int i = 1; i <= at; ++i)
        most = fmaxf(most, cache[i]);
      out[y * columns + x] = most;
      [[fallthrough]];
    }
    case 3: atomicAdd(&served[at], 1u); break;
    }
  }
}

int main(int argc, char **argv) {
  const int columns = argument(argc, argv, 1, 45), rows = argument(argc, argv, 2, 20);
  const int bound = argument(argc, argv, 3, 1 << 20);
  const std::vector<int> requests = integers(size_t(columns) * rows, 1, bound);
  const std::vector<float> table = floats(Table, 2);
  int *deviceRequests = toDevice(requests);
  float *deviceTable = toDevice(table), *out = zeros<float>(requests.size());
  unsigned *served = zeros<unsigned>(Table);

  answer<<<dim3(blocksFor(columns, Width), blocksFor(rows, Height)), dim3(Width, Height)>>>(
      out, served, deviceRequests, deviceTable, columns, rows);
  const std::vector<float> got = toHost(out, requests.size());
  const std::vector<unsigned> counts = toHost(served, Table);

  std::vector<unsigned> counted(Table);
  for (int request : requests)
    counted[request / 4 % Table] += request % 4 >= 2;
  const auto wanted = [&](size_t i) {
    const int operation = requests[i] % 4, at = requests[i] / 4 % Table;
    double sum = 0, most = table[0];
    for (int k = 0; k <= at; ++k)
      sum += table[k], most = std::fmax(most, double(table[k]));
    return operation == 0 ? double(table[at]) : operation == 1 ? sum : operation == 2 ? most : 0.0;
  };
  const bool right = agree(got, wanted, 1e-5) && agree(counts, [&](size_t i) { return counted[i]; }, 0);
  return verdict("requests", got, right);
}
