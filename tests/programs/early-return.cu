// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that leave before others meet at barriers, loops left in the middle, and blocks with a ragged warp.
#include "Check.h"

// Whole warps leave; the others still meet.
__global__ void leaveThenMeet(int *out, int staying) {
  __shared__ int cells[256];
  int i = threadIdx.x;
  if (i >= staying)
    return;
  cells[i] = i * i;
  __syncthreads();
  out[i] = cells[staying - 1 - i];
}

// Lanes of one warp return from inside a loop, in different iterations.
__global__ void searchFirst(const int *values, int n, int *where) {
  int wanted = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    if (values[i] != wanted)
      continue;
    where[wanted] = i;
    return;
  }
  where[wanted] = -1;
}

__global__ void breakOut(int *out) {
  int i = threadIdx.x, steps = 0;
  unsigned long long x = i + 1;
  while (true) {
    if (x == 1)
      break;
    x = x % 2 ? 3 * x + 1 : x / 2;
    if (++steps > 200)
      return;
  }
  out[i] = steps;
}

int main() {
  for (int staying : {256, 100, 33, 32, 1}) {
    DeviceArray<int> out(256);
    leaveThenMeet<<<1, 256>>>(out, staying);
    CHECK_LAUNCH();
    std::vector<int> got = out.host();
    for (int i = 0; i < 256; ++i)
      CHECK(got[i] == (i < staying ? (staying - 1 - i) * (staying - 1 - i) : 0));
  }

  std::vector<int> values(300);
  for (int i = 0; i < 300; ++i)
    values[i] = i * 13 % 90;
  DeviceArray<int> haystack(values), where(100);
  searchFirst<<<1, 100>>>(haystack, 300, where);
  CHECK_LAUNCH();
  std::vector<int> places = where.host();
  for (int wanted = 0; wanted < 100; ++wanted) {
    int expected = -1;
    for (int i = 299; i >= 0; --i)
      if (values[i] == wanted)
        expected = i;
    CHECK(places[wanted] == expected);
  }

  DeviceArray<int> steps(75);
  breakOut<<<1, 75>>>(steps);
  CHECK_LAUNCH();
  std::vector<int> counted = steps.host();
  for (int i = 0; i < 75; ++i) {
    int expected = 0;
    for (unsigned long long x = i + 1; x != 1; ++expected)
      x = x % 2 ? 3 * x + 1 : x / 2;
    CHECK(counted[i] == expected);
  }
  return pass();
}
