// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#define __CUDA_RUNTIME_H__ // programs ask by this name whether it was read

#include "cuda_runtime_api.h"
#include "heddle/typed_api.h"
#include "vector_functions.h"
