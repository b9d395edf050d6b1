// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API. The names, types and values are CUDA 13's: our runtime library serves programs built with
// NVIDIA's headers and with these alike.
#pragma once
#define __CUDA_RUNTIME_API_H__ // programs ask by this name whether it was read

#define CUDART_VERSION 13000

#include "driver_types.h"
#include "heddle/api/per_thread.h" // before the others

#include "heddle/api/array.h"
#include "heddle/api/copy.h"
#include "heddle/api/device.h"
#include "heddle/api/graph.h"
#include "heddle/api/launch.h"
#include "heddle/api/memory.h"
#include "heddle/api/stream.h"
