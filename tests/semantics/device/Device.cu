// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of the comparison: one kernel a row, each running the row's PTX on arrays of register bits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define KIND_h uint16_t
#define KIND_w uint32_t
#define KIND_l uint64_t
#define KIND_f float
#define KIND_d double
#define KIND__ uint32_t
#define LETTER_h "h"
#define LETTER_w "r"
#define LETTER_l "l"
#define LETTER_f "f"
#define LETTER_d "d"
#define LETTER__ "r"

template <class T> __device__ T fromBits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> __device__ uint64_t toBits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

#define ROW(name, ptx, r, ka, kb, kc, host)                                                                             \
  __global__ void run_##name(int count, const uint64_t *in, uint64_t *out) {                                            \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                      \
    if (i >= count)                                                                                                     \
      return;                                                                                                           \
    KIND_##ka a = fromBits<KIND_##ka>(in[3 * i]);                                                                       \
    KIND_##kb b = fromBits<KIND_##kb>(in[3 * i + 1]);                                                                   \
    KIND_##kc c = fromBits<KIND_##kc>(in[3 * i + 2]);                                                                   \
    KIND_##r result;                                                                                                    \
    asm(ptx : "=" LETTER_##r(result) : LETTER_##ka(a), LETTER_##kb(b), LETTER_##kc(c));                                  \
    out[i] = toBits(result);                                                                                            \
  }
#include "Rows.def"
#undef ROW

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(2);
  }
}

using Kernel = void (*)(int, const uint64_t *, uint64_t *);
static const Kernel kernels[] = {
#define ROW(name, ...) run_##name,
#include "Rows.def"
#undef ROW
};

void runRow(int row, int count, const uint64_t *in, uint64_t *out) {
  static uint64_t *deviceIn = nullptr, *deviceOut = nullptr;
  if (!deviceIn) {
    check(cudaMalloc(&deviceIn, size_t(count) * 24));
    check(cudaMalloc(&deviceOut, size_t(count) * 8));
  }
  check(cudaMemcpy(deviceIn, in, size_t(count) * 24, cudaMemcpyHostToDevice));
  kernels[row]<<<(count + 255) / 256, 256>>>(count, deviceIn, deviceOut);
  check(cudaGetLastError());
  check(cudaMemcpy(out, deviceOut, size_t(count) * 8, cudaMemcpyDeviceToHost));
}
