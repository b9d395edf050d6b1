// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions, as nvcc emits them: Clang without a toolkit calls fma and the conversion, which are part of libdevice.
#define fma __builtin_fma
#define BITS_AS_DOUBLE(BITS) __builtin_bit_cast(double, BITS)
#define FUNCTION __device__ __attribute__((always_inline))
#define GLOBAL
#define LONG long long
#include "Rates.h"

extern "C" __global__ void rates(double *rate, const double *concentration, const double *temperature,
                                 const double *logTemperature, unsigned points) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  ratesAt(rate, concentration, temperature[i], logTemperature[i], points, i);
}
