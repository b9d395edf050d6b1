// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/Hash.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::capture {
namespace {

Hash128 hashOf(const std::string &text) { return capture::hashOf(text.data(), text.size()); }

/// Published values of MurmurHash3_x64_128: captures are read on other hosts, by programs of other versions.
TEST(Hash, IsMurmurHash3) {
  EXPECT_EQ(hashOf(""), (Hash128{0, 0}));
  EXPECT_EQ(hashOf("hello"), (Hash128{0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19}));
  EXPECT_EQ(hashOf("The quick brown fox jumps over the lazy dog"),
            (Hash128{0xe34bbc7bbc071b6c, 0x7a433ca9c49a9347}));
}

TEST(Hash, ZerosOfDifferentLengthsDiffer) {
  for (size_t bytes = 1; bytes < 64; ++bytes)
    EXPECT_NE(hashOf(std::string(bytes, char(0))), hashOf(std::string(bytes - 1, char(0))));
}

} // namespace
} // namespace heddle::capture
