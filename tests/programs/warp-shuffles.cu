// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four shuffles, whole warps and segments, every value width, and the reductions built on them.
#include "Check.h"

constexpr unsigned everyone = 0xffffffffu;

__global__ void shuffles(int *out) {
  int lane = threadIdx.x;
  int *row = out + lane * 8;
  row[0] = __shfl_sync(everyone, lane * 3, 7);
  row[1] = __shfl_sync(everyone, lane, lane + 5, 8);
  row[2] = __shfl_up_sync(everyone, lane, 3);
  row[3] = __shfl_up_sync(everyone, lane, 2, 16);
  row[4] = __shfl_down_sync(everyone, lane, 9);
  row[5] = __shfl_down_sync(everyone, lane, 1, 4);
  row[6] = __shfl_xor_sync(everyone, lane, 21);
  row[7] = __shfl_xor_sync(everyone, lane, 3, 8);
}

__global__ void wide(double *out, unsigned long long *bits) {
  int lane = threadIdx.x;
  double x = 1.0 / (lane + 1);
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_down_sync(everyone, x, step);
  if (lane == 0)
    *out = x;
  bits[lane] = __shfl_xor_sync(everyone, (1ull << (lane + 31)) | lane, 1);
}

// Only the lanes of the branch take part.
__global__ void partial(int *out) {
  int lane = threadIdx.x;
  int value = -1;
  if (lane < 16)
    value = __shfl_sync(0x0000ffffu, lane * lane, 15 - lane);
  else if (lane % 2 == 0)
    value = __shfl_up_sync(0x55550000u, lane, 2, 16); // lane 14 is not there to read from
  out[lane] = value;
}

// Inclusive scan by shuffles.
__global__ void scan(const int *in, int *out) {
  int lane = threadIdx.x % 32;
  int sum = in[threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(everyone, sum, step);
    if (lane >= step)
      sum += other;
  }
  out[threadIdx.x] = sum;
}

int main() {
  DeviceArray<int> out(256);
  shuffles<<<1, 32>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int lane = 0; lane < 32; ++lane) {
    const int *row = &got[lane * 8];
    CHECK(row[0] == 21);
    CHECK(row[1] == (lane & ~7) + ((lane + 5) & 7));
    CHECK(row[2] == (lane < 3 ? lane : lane - 3));
    CHECK(row[3] == (lane % 16 < 2 ? lane : lane - 2));
    CHECK(row[4] == (lane + 9 > 31 ? lane : lane + 9));
    CHECK(row[5] == (lane % 4 == 3 ? lane : lane + 1));
    CHECK(row[6] == (lane ^ 21));
    CHECK(row[7] == (lane ^ 3));
  }

  DeviceArray<double> sum(1);
  DeviceArray<unsigned long long> bits(32);
  wide<<<1, 32>>>(sum, bits);
  CHECK_LAUNCH();
  std::vector<double> terms(32);
  for (int i = 0; i < 32; ++i)
    terms[i] = 1.0 / (i + 1);
  for (int step = 16; step > 0; step /= 2)
    for (int i = 0; i + step < 32; ++i)
      terms[i] += terms[i + step];
  CHECK(sum.host()[0] == terms[0]);
  std::vector<unsigned long long> words = bits.host();
  for (int i = 0; i < 32; ++i)
    CHECK(words[i] == ((1ull << ((i ^ 1) + 31)) | (i ^ 1)));

  partial<<<1, 32>>>(out);
  CHECK_LAUNCH();
  got = out.host();
  for (int lane = 0; lane < 32; ++lane) {
    if (lane < 16)
      CHECK(got[lane] == (15 - lane) * (15 - lane));
    else
      CHECK(got[lane] == (lane % 2 ? -1 : lane == 16 ? 16 : lane - 2));
  }

  std::vector<int> numbers(96);
  for (int i = 0; i < 96; ++i)
    numbers[i] = i * 5 % 17 - 6;
  DeviceArray<int> in(numbers), sums(96);
  scan<<<1, 96>>>(in, sums);
  CHECK_LAUNCH();
  got = sums.host();
  for (int i = 0, running = 0; i < 96; ++i) {
    running = i % 32 ? running + numbers[i] : numbers[i];
    CHECK(got[i] == running);
  }
  return pass();
}
