// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define ADDED 1
#include "one.cu"
