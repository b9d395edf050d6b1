// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/CompilerOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::source {
namespace {

TEST(CompilerOptions, OfNvccAndOfClang) {
  for (const char *word :
       {"-lineinfo", "--generate-line-info", "-Xptxas", "--maxrregcount=32", "-prec-div=false",
        "--use_fast_math", "--cuda-gpu-arch=sm_90", "-fgpu-rdc", "--sysroot=/x", "--std=c++17"})
    EXPECT_TRUE(isCompilerOption(word)) << word;
  for (const char *word : {"--quite", "--shedules", "--blok=64", "file.cu"})
    EXPECT_FALSE(isCompilerOption(word)) << word;
}

TEST(CompilerOptions, ValuesInTheNextWord) {
  for (const char *word :
       {"-maxrregcount", "--compiler-options", "-Xlinker", "-I", "-gencode", "-cudart", "-t"})
    EXPECT_TRUE(takesNextWord(word)) << word;
  for (const char *word : {"-maxrregcount=32", "-lineinfo", "-O", "-Iinclude", "-g"})
    EXPECT_FALSE(takesNextWord(word)) << word;
}

TEST(CompilerOptions, GenerationsAreNamedWithTheirWords) {
  const std::vector<ArchOption> all =
      archOptions({"-O3", "-arch=sm_80", "-gencode", "arch=compute_90a,code=sm_90a", "-Xptxas", "-arch=sm_70",
                   "-arch=native"});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].words, "-arch=sm_80");
  EXPECT_EQ(all[0].arch, "sm_80");
  EXPECT_EQ(all[1].words, "-gencode arch=compute_90a,code=sm_90a");
  EXPECT_EQ(all[1].arch, "sm_90a");
  EXPECT_EQ(all[2].arch, "");
}

} // namespace
} // namespace heddle::source
