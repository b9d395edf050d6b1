// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API, as far as the simulator has it: docs/run.md lists what it does not.
#pragma once
#define __cuda_cuda_h__ // programs ask by this name whether it was read

#include <stddef.h>
#include <stdint.h>

#if !defined(CUDA_VERSION)
#define CUDA_VERSION 13000
#endif

#include "heddle/driver/api.h"
