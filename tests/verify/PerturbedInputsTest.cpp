// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/PerturbedInputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace heddle::verify;

namespace {

using Inputs = std::vector<std::vector<std::string>>;

bool has(const Inputs &inputs, const std::vector<std::string> &wanted) {
  return std::ranges::find(inputs, wanted) != inputs.end();
}

TEST(PerturbedInputs, TryTheSizesAroundWhichKernelsBreak) {
  const Inputs inputs = perturbedInputs({"4096"}, 1, 100);
  for (const char *size : {"4095", "4097", "2048", "2049", "4093", "1", "2", "3", "31", "33"})
    EXPECT_TRUE(has(inputs, {size})) << size;
  for (const auto &input : inputs)
    EXPECT_LE(std::stol(input[0]), 4097) << "no run takes longer than the given one";
}

TEST(PerturbedInputs, ChangeNumbersOnly) {
  const Inputs inputs = perturbedInputs({"--size=100", "file.txt", "-v", "0.5"}, 1, 100);
  EXPECT_TRUE(has(inputs, {"--size=99", "file.txt", "-v", "0.5"}));
  EXPECT_TRUE(has(inputs, {"--size=100", "file.txt", "-v", "0.25"}));
  bool changesBoth = false;
  for (const auto &input : inputs) {
    EXPECT_EQ(input[1], "file.txt");
    EXPECT_EQ(input[2], "-v");
    changesBoth |= input[0] != "--size=100" && input[3] != "0.5";
  }
  EXPECT_TRUE(changesBoth);
}

TEST(PerturbedInputs, AreTheSameForTheSameSeedAndAllDifferent) {
  const std::vector<std::string> arguments = {"1000", "7"};
  const Inputs inputs = perturbedInputs(arguments, 1, 30);
  EXPECT_EQ(inputs, perturbedInputs(arguments, 1, 30));
  EXPECT_NE(inputs, perturbedInputs(arguments, 2, 30));
  EXPECT_EQ(std::set(inputs.begin(), inputs.end()).size(), inputs.size());
  EXPECT_FALSE(has(inputs, arguments));
  EXPECT_EQ(perturbedInputs(arguments, 1, 3).size(), 3u);
}

TEST(PerturbedInputs, AreNoneWithoutANumber) {
  EXPECT_TRUE(perturbedInputs({}, 1, 10).empty());
  EXPECT_TRUE(perturbedInputs({"file.txt", "-n", "x1", "1.2.3", "--a=b"}, 1, 10).empty());
}

TEST(PerturbedInputs, KeepSignsAndSwitches) {
  for (const auto &input : perturbedInputs({"-8"}, 1, 50))
    EXPECT_EQ(input[0][0], '-');
  EXPECT_TRUE(has(perturbedInputs({"1"}, 1, 50), {"0"}));
}

} // namespace
