// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace heddle;

static std::string printed(const Diagnostics &d) {
  std::ostringstream out;
  print(out, d, false);
  return out.str();
}

TEST(Diagnostics, ShowsLocationLineCaretNoteAndHint) {
  Diagnostics d;
  d.refuse({"reduce.cu", 42, 10, 14, "    x += down(x, 1);"}, "both ends in one thread")
      .note({"reduce.cu", 29, 0, 0, "#pragma heddle coarsen"}, "asked for here")
      .withHint("map=interleaved keeps them apart");
  EXPECT_EQ(printed(d), "reduce.cu:42:10: error: both ends in one thread\n"
                        "   42 |     x += down(x, 1);\n"
                        "      |          ^~~~\n"
                        "reduce.cu:29: note: asked for here\n"
                        "   29 | #pragma heddle coarsen\n"
                        "hint: map=interleaved keeps them apart\n");
}

TEST(Diagnostics, TabsBeforeTheCaretStayTabs) {
  Diagnostics d;
  d.error({"a.cu", 1, 3, 4, "\t\tx"}, "wrong");
  EXPECT_EQ(printed(d), "a.cu:1:3: error: wrong\n    1 | \t\tx\n      | \t\t^\n");
}

TEST(Diagnostics, SaysTheSameThingOnce) {
  Diagnostics d;
  d.error({"a.cu"}, "wrong");
  d.error({"a.cu"}, "wrong");
  EXPECT_EQ(printed(d), "a.cu: error: wrong\n");
}

TEST(Diagnostics, ColumnsBeyondTheLineShowNoCaret) {
  Diagnostics d;
  d.error({"a.cu", 1, 40, 41, "short"}, "wrong");
  EXPECT_EQ(printed(d), "a.cu:1:40: error: wrong\n    1 | short\n");
}
