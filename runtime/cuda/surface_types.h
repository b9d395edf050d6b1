// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#define __SURFACE_TYPES_H__ // programs ask by this name whether it was read

#include "driver_types.h"
