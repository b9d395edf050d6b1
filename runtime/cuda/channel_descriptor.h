// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#define __CHANNEL_DESCRIPTOR_H__ // programs ask by this name whether it was read

#include "heddle/typed_api.h"
