// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs include this name; what it represents is there already (heddle_cuda_wrapper.h).
#pragma once
#define __CUDA_DEVICE_RUNTIME_API_H__ // programs ask by this name whether it was read

#include "cuda_runtime.h"
