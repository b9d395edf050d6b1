// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursion whose depth differs by thread: plain, mutual, and with arrays in every frame.
#include "Check.h"

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ bool isOdd(unsigned n);
__device__ __noinline__ bool isEven(unsigned n) { return n == 0 ? true : isOdd(n - 1); }
__device__ __noinline__ bool isOdd(unsigned n) { return n == 0 ? false : isEven(n - 1); }

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Counts the ways to place queens; each frame keeps its own board.
__device__ __noinline__ int queens(int row, int size, const int *above) {
  if (row == size)
    return 1;
  int board[6], ways = 0;
  for (int i = 0; i < row; ++i)
    board[i] = above[i];
  for (int column = 0; column < size; ++column) {
    bool free = true;
    for (int i = 0; i < row; ++i)
      free = free && board[i] != column && abs(board[i] - column) != row - i;
    if (free) {
      board[row] = column;
      ways += queens(row + 1, size, board);
    }
  }
  return ways;
}

__global__ void recurse(int *out) {
  int i = threadIdx.x;
  out[4 * i] = fibonacci(i % 16);
  out[4 * i + 1] = isEven(i);
  out[4 * i + 2] = ackermann(2, i % 5);
  out[4 * i + 3] = queens(0, 1 + i % 6, nullptr);
}

int main() {
  constexpr int n = 64;
  DeviceArray<int> out(4 * n);
  CHECK_CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
  recurse<<<1, n>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  const int fib[16] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  const int ways[6] = {1, 0, 0, 2, 10, 4};
  for (int i = 0; i < n; ++i) {
    CHECK(got[4 * i] == fib[i % 16]);
    CHECK(got[4 * i + 1] == (i % 2 == 0));
    CHECK(got[4 * i + 2] == 2 * (i % 5) + 3);
    CHECK(got[4 * i + 3] == ways[i % 6]);
  }
  return pass();
}
