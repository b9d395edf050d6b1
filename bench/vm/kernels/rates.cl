// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define FUNCTION
#define GLOBAL global
#define LONG long
#define BITS_AS_DOUBLE as_double
#include "Rates.h"

kernel void rates(global double *rate, global const double *concentration, global const double *temperature,
                  global const double *logTemperature, uint points) {
  const uint i = get_global_id(0);
  ratesAt(rate, concentration, temperature[i], logTemperature[i], points, i);
}
