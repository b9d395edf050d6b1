// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Defines.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::tune;

namespace {

TEST(Defines, ADefinitionOfTheFileHasPrecedenceUnlessItAsksForTheName) {
  EXPECT_EQ(ownDefinition("int a;\n  # define TILE 16\r\n", "TILE").line, 2u);
  EXPECT_EQ(ownDefinition("int a;\n  # define TILE 16\r\n", "TILE").column, 12u);
  EXPECT_EQ(ownDefinition("#ifdef DEBUG\n#define TILE 16\n#endif\n", "TILE").line, 2u);
  for (const char *text :
       {"#ifndef TILE\n#define TILE 16\n#endif\n",
        "#if !defined(TILE)\n#if A\n#define TILE 16\n#endif\n#endif\n",
        "#if A\n#elif !defined(TILE)\n#define TILE 16\n#endif\n", "#define TILES 16\n", "int TILE;\n", ""})
    EXPECT_EQ(ownDefinition(text, "TILE").line, 0u) << text;
  EXPECT_EQ(ownDefinition("#ifndef TILE\n#endif\n#define TILE 16\n", "TILE").line, 3u);
}

TEST(Defines, WhatHasNoEffectIsReported) {
  TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "sizes.h", "#define ROWS 4\n#ifndef COLUMNS\n#define COLUMNS 8\n#endif\n");
  Problem problem;
  problem.file = folder.path() / "a.cu";
  problem.text =
      "#include \"sizes.h\"\n#define TILE 16\n__global__ void k(int *a) { a[0] = TILE * ROWS * COLUMNS; }\n";
  problem.compile.cudaPath = "none";
  writeFileOrThrow(problem.file, problem.text);
  const Diagnostics warnings =
      aboutDefines(problem, {"TILE=8|16", "ROWS=1|2", "COLUMNS=1|2", "TILLE=8|16", "NDEBUG=|1"});
  ASSERT_EQ(warnings.all().size(), 3u);
  const Diagnostic &tile = warnings.all()[0], &rows = warnings.all()[1], &misspelt = warnings.all()[2];
  EXPECT_EQ(tile.location.file, problem.file.string());
  EXPECT_EQ(tile.location.line, 2u);
  EXPECT_EQ(tile.text, "'TILE' is defined here: --define \"TILE=8|16\" has no effect");
  EXPECT_EQ(tile.hint, "write '#ifndef TILE' before this line and '#endif' after it");
  EXPECT_TRUE(rows.location.file.ends_with("sizes.h")) << rows.location.file;
  EXPECT_EQ(rows.location.line, 1u);
  EXPECT_EQ(misspelt.text, "no file of the program mentions 'TILLE': --define \"TILLE=8|16\" has no effect");
  EXPECT_TRUE(aboutDefines(problem, {}).empty());
}

} // namespace
