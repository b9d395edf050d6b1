// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Abi.h"

#include <cstdint>

namespace heddle::cudart {

/// Elements of 1, 2 or 4 bytes that get one value: rows of `width` elements, `pitchBytes` apart.
struct ElementFill {
  void *to = nullptr;
  size_t pitchBytes = 0;
  uint32_t value = 0;
  size_t elementBytes = 1, width = 0, height = 1;
};
cudaError_t fillElements(const ElementFill &fill);
cudaError_t fillElementsAsync(const ElementFill &fill, cudaStream_t stream);

} // namespace heddle::cudart
