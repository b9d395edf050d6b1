// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/IncludeLine.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(IncludeLine, BothFormsAreRead) {
  EXPECT_EQ(includeIn("#include \"a/b.h\" // why").name, "a/b.h");
  EXPECT_TRUE(includeIn("#include \"a/b.h\"").quoted);
  EXPECT_EQ(includeIn(" \t# include<cstdio>").name, "cstdio");
  EXPECT_FALSE(includeIn("#include <cstdio>").quoted);
}

TEST(IncludeLine, OtherLinesIncludeNothing) {
  for (const char *line : {"", "#", "#include", "#include MACRO(\"x\")", "// #include \"a.h\"",
                           "#include \"a.h", "#define include \"a\"", "int include;"})
    EXPECT_EQ(includeIn(line).name, "") << line;
}
