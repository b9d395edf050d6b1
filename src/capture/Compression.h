// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace heddle::capture {

/// The bytes in fewer bytes; nothing where that does not pay, or where this was built without zlib.
std::optional<std::vector<unsigned char>> compressed(const unsigned char *data, size_t bytes);

/// Writes exactly `bytes` bytes. False where the input is damaged, or where this was built without zlib.
bool decompress(const unsigned char *from, size_t fromBytes, unsigned char *to, size_t bytes);

/// Whether this was built with zlib (HEDDLE_HAS_ZLIB).
bool hasCompression();

} // namespace heddle::capture
