// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/InlinedLocations.h"

#include <gtest/gtest.h>

namespace heddle::build {
namespace {

TEST(InlinedLocations, AreReportedAsNvccReportsThem) {
  EXPECT_EQ(withInlinedLocations("\t.loc\t1 6 0        // k.cu:6:0\n"
                                 "\t.loc\t2 344 10     // /usr/a.h:344:10 @[ inc/b.h:16:1 @[ k.cu:6:39 ] ]\n"
                                 "\tadd.u32 %r1, %r1, 1; // no place: 1:2\n"
                                 "\t.file\t1 \"/src/k.cu\"\n",
                                 "/src"),
            "\t.loc\t1 6 0        // k.cu:6:0\n"
            "\t.loc\t1 6 39\n"
            "\t.loc\t3 16 1, inlined_at 1 6 39\n"
            "\t.loc\t2 344 10, inlined_at 3 16 1\n"
            "\tadd.u32 %r1, %r1, 1; // no place: 1:2\n"
            "\t.file\t1 \"/src/k.cu\"\n"
            "\t.file\t3 \"/src/inc/b.h\"\n");
}

TEST(InlinedLocations, WhatHasNoneIsUnchanged) {
  const std::string text =
      ".version 8.5\n\t.loc\t1 6 0 // k.cu:6:0\n\t.loc\t1 7 3\n\t.loc\t1 8 3 // @[ odd ]\nret;\n";
  EXPECT_EQ(withInlinedLocations(text, "/src"), text);
}

TEST(InlinedLocations, PathsMayHoldColonsAndBlanks) {
  EXPECT_EQ(withInlinedLocations("\t.loc\t1 2 3 // my dir/a:b.h:2:3 @[ my dir/a:b.h:9:1 ]\n", "/"),
            "\t.loc\t1 9 1\n\t.loc\t1 2 3, inlined_at 1 9 1\n");
}

} // namespace
} // namespace heddle::build
