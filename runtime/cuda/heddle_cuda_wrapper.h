// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything nvcc gives a .cu file before its first line. Force-included (-include) where Clang compiles CUDA
// without a toolkit; it plays the part of Clang's own __clang_cuda_runtime_wrapper.h, which can only be used
// with NVIDIA's headers beside it. The order below matters, and each step says why it is where it does.
#pragma once

#if !defined(__CUDA__) || !defined(__clang__)
#error "heddle_cuda_wrapper.h is for Clang compiling CUDA (-x cuda)"
#endif

// Device overloads of the math functions must be declared before <cmath> makes its constexpr ones host and
// device.
#include <__clang_cuda_math_forward_declares.h>

// libstdc++ leaves out __float128 where it sees __CUDACC__; it looks when its first header is read. The list
// is what nvcc's own headers read, since programs have come to rely on it.
#define __CUDACC__
#include <assert.h>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctype.h>
#include <limits>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>

#define CUDA_VERSION 13000
#define __CUDA_API_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0

// The words of the language, then the types and calls that both sides know.
#include "heddle/keywords.h"
#include <__clang_cuda_builtin_vars.h>
#include "cuda.h"
#include "cuda_runtime.h"

// Clang's device functions call libdevice (__nv_...). Those calls stay external: the program that runs the PTX supplies
// them.
// For CUDA 9.1 the functions on parts of words (__vadd4 and so on) are among them; later versions of the
// header spell them as video instructions, which no GPU has had since Maxwell. Nothing else depends on it.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#include <__clang_cuda_math.h>

// What Clang expects NVIDIA's headers to define; its intrinsics, which follow, use some of it.
#include "heddle/builtin_vars.h"
#include "heddle/device_library.h"
#include "heddle/address_spaces.h"
#include "heddle/atomics.h"
#include "heddle/integer_intrinsics.h"
#include "heddle/sync.h"
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>

// What nvcc adds on top.
#include "heddle/cache_hints.h"
#include "heddle/dpx.h"
#include "heddle/math.h"
#include "heddle/minmax.h"
#include "heddle/nv_atomic.h"
#include "heddle/texture.h"
