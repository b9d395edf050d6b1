// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs include this name; what it represents is there already (heddle_cuda_wrapper.h).
#pragma once

#include "cuda_runtime.h"
