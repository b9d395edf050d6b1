// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Suggest.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const std::vector<std::string> archs = {"sm_80", "sm_89", "sm_90", "sm_100"};

TEST(Suggest, TheBeginningOfANameIsThatName) {
  EXPECT_EQ(didYouMean("sm_9", archs), "did you mean 'sm_90'?");
  EXPECT_EQ(probablyMeant("consol", {"coarsen", "consolidate"}), "consolidate");
}

TEST(Suggest, OfSeveralBeginningsTheShortestNameIsMeant) {
  EXPECT_EQ(probablyMeant("sm_", {"sm_100", "sm_90", "sm_80"}), "sm_90");
}

TEST(Suggest, AFewLettersMayBeWrong) {
  EXPECT_EQ(probablyMeant("corsen", {"coarsen", "fuse"}), "coarsen");
  EXPECT_EQ(probablyMeant("dokter", {"doctor", "opt"}), "doctor");
}

TEST(Suggest, TwoSwappedLettersAreOneMistake) {
  EXPECT_EQ(probablyMeant("TORE", {"LOW", "REV", "TROE"}), "TROE");
  EXPECT_EQ(probablyMeant("rnu", {"run", "tune"}), "run");
  EXPECT_EQ(probablyMeant("EOTR", {"TROE"}), std::nullopt);
}

TEST(Suggest, WhatThereIsFollowsTheQuestion) {
  EXPECT_EQ(choicesFor("nope", {"saxpy"}), "there is saxpy");
  EXPECT_EQ(choicesFor("axpy", {"saxpy"}), "did you mean 'saxpy'?");
  EXPECT_EQ(choicesFor("nope", {"scale", "saxpy"}), "there are scale and saxpy");
  EXPECT_EQ(choicesFor("scal", {"scale", "saxpy"}), "did you mean 'scale'? There are scale and saxpy");
}

TEST(Suggest, NothingIsSuggestedWhereNothingIsNear) {
  EXPECT_EQ(didYouMean("frobnicate", {"opt", "run", "tune"}), "");
  EXPECT_EQ(didYouMean("", {"opt"}), "");
  EXPECT_EQ(didYouMean("x", {}), "");
}

} // namespace
} // namespace heddle
