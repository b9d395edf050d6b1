// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/TextureObject.h"

namespace heddle::capture {

uint32_t TexelFormat::channels() const {
  uint32_t count = 0;
  for (uint32_t each : bits)
    count += each != 0;
  return count;
}

uint64_t TexelFormat::bytes() const {
  uint64_t all = 0;
  for (uint32_t each : bits)
    all += each;
  return all / 8;
}

} // namespace heddle::capture
