// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Utf8.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const std::string Bad = "\xef\xbf\xbd";

TEST(Utf8, TextThatIsUtf8IsUnchanged) {
  for (const char *text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbd"})
    EXPECT_EQ(asUtf8(text), text);
}

TEST(Utf8, BytesOfOtherEncodingsAreReplacedOneByOne) {
  EXPECT_EQ(asUtf8("caf\xe9.cu"), "caf" + Bad + ".cu");
  EXPECT_EQ(asUtf8("\xc3"), Bad);
  EXPECT_EQ(asUtf8("\xe2\x82"), Bad + Bad);
  EXPECT_EQ(asUtf8("\x80\xff"), Bad + Bad);
}

TEST(Utf8, OverlongFormsSurrogatesAndWhatIsBeyondUnicodeAreNone) {
  EXPECT_EQ(asUtf8("\xc0\xaf"), Bad + Bad);
  EXPECT_EQ(asUtf8("\xe0\x80\xaf"), Bad + Bad + Bad);
  EXPECT_EQ(asUtf8("\xed\xa0\x80"), Bad + Bad + Bad);
  EXPECT_EQ(asUtf8("\xf4\x90\x80\x80"), Bad + Bad + Bad + Bad);
}

} // namespace
} // namespace heddle
