// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's version and its types, as far as programs of the runtime API touch them. There are no
// driver calls here: a program that makes them needs the real thing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if !defined(CUDA_VERSION)
#define CUDA_VERSION 13000
#endif

#include "driver_types.h"

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
#define CU_DEVICE_CPU ((CUdevice) - 1)
#define CU_DEVICE_INVALID ((CUdevice) - 2)
