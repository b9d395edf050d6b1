// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#define __DRIVER_TYPES_H__ // programs ask by this name whether it was read

#include "heddle/device_prop.h"
#include "heddle/enums.h"
#include "heddle/flags.h"
#include "heddle/handles.h"
#include "heddle/structs.h"
#include "vector_types.h"

#include <limits.h>
#include <stddef.h>
