// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of single files of a program, as a build system gives them.
#include "build/Build.h"

#include <gtest/gtest.h>

using namespace heddle::build;
using Words = std::vector<std::string>;

TEST(OwnFlags, TheCommonOnesComeLastAndWin) {
  const Sources sources{{"a.cu", "b.cu"},
                        {"-DN=2", "-std=c++17", "-U", "M", "-O3"},
                        {{"a.cu", {"-DN=1", "-DM", "-DNN", "-std=c++20", "-I/x"}}}};
  EXPECT_EQ(sources.flagsOf("a.cu", Compiler::Clang),
            (Words{"-DNN", "-I/x", "-DN=2", "-std=c++17", "-U", "M", "-O3"}));
  EXPECT_EQ(sources.flagsOf("b.cu", Compiler::Clang), sources.flags);
}

TEST(OwnFlags, NvccGetsTheWordsItKnows) {
  const Sources sources{
      {"a.cu"},
      {"-lineinfo"},
      {{"a.cu",
        {"-DN=1", "-isystem", "/y", "-iquote", "/q", "-include", "p.h", "-fgpu-rdc", "-ffast-math",
         "-fopenmp", "-fPIC", "-march=native", "--fmad=false", "--sysroot=/s", "-std=c++20"}}}};
  EXPECT_EQ(sources.flagsOf("a.cu", Compiler::Nvcc),
            (Words{"-DN=1", "-isystem", "/y", "-I/q", "-include", "p.h", "-rdc=true", "--use_fast_math",
                   "-Xcompiler=-fopenmp", "--fmad=false", "-std=c++20", "-lineinfo"}));
}
