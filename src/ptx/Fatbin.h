// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::ptx {

/// What a compiler embedded for the device, as PTX text.
struct DeviceImage {
  std::string ptx;
  bool isPlainText = false; ///< Clang's way: the image is the text itself, without a container
};

/// The PTX inside what `__cudaRegisterFatBinary` is given: a wrapper that points at nvcc's container of
/// images or (Clang) at PTX text. Of several PTX images the newest that is not above `smVersion` (90 for
/// sm_90) wins. Understands images stored plain, as LZ4 blocks (CUDA 11 and 12) and as zstd (CUDA 13; needs
/// libzstd.so.1 on the machine). `why` says what prevents it where nothing is returned.
std::optional<DeviceImage> ptxFromWrapper(const void *wrapper, unsigned smVersion, std::string &why);

/// The same for the image itself.
std::optional<DeviceImage> ptxFromImage(const void *image, unsigned smVersion, std::string &why);

/// One LZ4 block; nothing where it is damaged or does not give exactly `plainBytes`.
std::optional<std::string> unpackLz4(const uint8_t *packed, size_t packedBytes, size_t plainBytes);

} // namespace heddle::ptx
