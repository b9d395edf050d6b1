// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_runtime_api.h"
#include "heddle/typed_api.h"
#include "vector_functions.h"
