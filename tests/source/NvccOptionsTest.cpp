// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's options in Clang's words. What nvcc does with them was read in its PTX (13.0).
#include "source/NvccOptions.h"

#include <gtest/gtest.h>

namespace heddle::source {
namespace {

using Words = std::vector<std::string>;

Words onDevice(const Words &words) { return inClangsWords(words, Side::Device); }
Words onHost(const Words &words) { return inClangsWords(words, Side::Host); }

TEST(NvccOptions, ArithmeticIsThatOfTheDevice) {
  EXPECT_EQ(onDevice({"-fmad=false"}), Words{"-ffp-contract=off"});
  EXPECT_EQ(onDevice({"--fmad", "false", "-DN=1"}), (Words{"-DN=1", "-ffp-contract=off"}));
  EXPECT_EQ(onDevice({"-fmad=true"}), Words());
  EXPECT_EQ(onDevice({"-ftz=true"}), Words{"-fgpu-flush-denormals-to-zero"});
  EXPECT_EQ(onDevice({"--ftz=false"}), Words());
  EXPECT_EQ(onDevice({"-prec-div=false"}), (Words{"-mllvm", "-nvptx-prec-divf32=1"}));
  EXPECT_EQ(onDevice({"-prec-sqrt=false"}), (Words{"-mllvm", "-nvptx-prec-sqrtf32=0"}));
  EXPECT_EQ(onDevice({"-prec-div=true", "-prec-sqrt=true"}), Words());
  EXPECT_EQ(onHost({"-fmad=false", "-ftz=true", "-prec-div=false", "-prec-sqrt=false"}), Words());
}

TEST(NvccOptions, FastMathChangesNeitherHostCodeNorTheOrderOfOperations) {
  EXPECT_EQ(onHost({"--use_fast_math", "-I/x"}), Words{"-I/x"});
  EXPECT_EQ(onDevice({"--use_fast_math"}),
            (Words{"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals", "-mllvm",
                   "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"}));
}

TEST(NvccOptions, WhatIsGivenByItselfWinsOverFastMathInAnyOrder) {
  const Words wanted = {"-ffp-contract=off", "-fgpu-approx-transcendentals", "-mllvm",
                        "-nvptx-prec-sqrtf32=0"};
  EXPECT_EQ(onDevice({"-use_fast_math", "-ftz=false", "-fmad=false", "-prec-div=true"}), wanted);
  EXPECT_EQ(onDevice({"-ftz=false", "-fmad=false", "-prec-div=true", "-use_fast_math"}), wanted);
}

TEST(NvccOptions, DefaultStreamsConcernBothSides) {
  const Words wanted = {"-Xclang", "-fgpu-default-stream=per-thread"};
  EXPECT_EQ(onHost({"--default-stream", "per-thread"}), wanted);
  EXPECT_EQ(onDevice({"-default-stream=per-thread"}), wanted);
  EXPECT_EQ(onHost({"--default-stream=legacy"}), Words());
}

TEST(NvccOptions, ThoseWithoutACounterpartFallAway) {
  EXPECT_EQ(onDevice({"-maxrregcount=32", "--maxrregcount", "64", "-lineinfo", "-DN=1"}), Words{"-DN=1"});
  EXPECT_EQ(onDevice({"-ffast-math", "-ffp-contract=off"}),
            (Words{"-ffast-math", "-ffp-contract=off"})); // Clang's own
}

} // namespace
} // namespace heddle::source
