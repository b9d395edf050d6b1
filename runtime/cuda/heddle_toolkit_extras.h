// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For Clang with the toolkit's headers: what nvcc supplies and Clang's wrapper does not. Force-included after
// that wrapper
// (-include <this file>), it lets more programs through: min and max on the host side, isnan and similar functions
// there, stores with cache hints, the __nv_atomic functions.
#pragma once
#pragma GCC system_header

#if defined(__CUDA__) && defined(__clang__)
#define HEDDLE_MINMAX_HOST_ONLY
#include "heddle/minmax.h"
#include "heddle/cache_hints.h"
#include "heddle/nv_atomic.h"
#include <math.h>
// Clang has managed variables for HIP only; a file that is only read may have them all the same.
#if defined(HEDDLE_PARSE_ONLY)
#undef __managed__
#define __managed__ __attribute__((device))
#endif
#endif
