// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ShellText.h"

#include "support/Process.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(ShellText, PlainWordsAreAsTheyAre) {
  EXPECT_EQ(shellCommand({"nvcc", "-arch=sm_90", "-I../include", "a_b/c+1.cu", "HEDDLE_ASSUME=a,b"}),
            "nvcc -arch=sm_90 -I../include a_b/c+1.cu HEDDLE_ASSUME=a,b");
}

TEST(ShellText, AShellReadsTheWordsBack) {
  const std::vector<std::string> words = {"a b",   "it's", "$HOME", "x;y", "a|b&c", "",
                                          "\"q\"", "~",    "*",     "#",   "(1)",   "back\\slash"};
  for (const std::string &word : words) {
    const ProcessResult echoed = runProcess({"/bin/sh", "-c", "printf %s " + shellWord(word)});
    EXPECT_EQ(echoed.standardOutput, word) << shellWord(word);
  }
}
