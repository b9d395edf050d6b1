// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// break, continue and return that differ by thread, also out of nested loops.
#include "Harness.h"

__global__ void search(int *found, const int *list, int n, int wanted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int steps = 0;
  for (int j = i; j < n; ++j) {
    if (list[j] % 2 != 0)
      continue;
    for (int k = 0; k < 4; ++k) {
      ++steps;
      if (list[j] + k == wanted) {
        found[i] = j;
        return;
      }
      if (list[j] < k - 20)
        break;
    }
    if (steps > 40)
      break;
  }
  found[i] = -steps;
}

int main() {
  const int n = 300;
  std::vector<int> list(n);
  for (int i = 0; i < n; ++i)
    list[i] = (i * 37) % 101 - 30;
  int *found = zeros<int>(n);
  search<<<(n + 31) / 32, 32>>>(found, onDevice(list), n, 17);
  bring("search", found, n);
}
