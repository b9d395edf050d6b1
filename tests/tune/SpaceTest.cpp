// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Space.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::tune;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Space read(const SpaceWords &words) {
  Diagnostics diagnostics;
  std::optional<Space> space = Space::read(words, diagnostics);
  EXPECT_TRUE(space) << diagnostics.all().front().text;
  return space.value_or(Space());
}

std::vector<std::string> configurationsOf(const SpaceWords &words) {
  Space space = read(words);
  std::vector<std::string> configurations;
  for (const Point &point : space.distinct(1000))
    configurations.push_back(space.configurationAt(point).str());
  return configurations;
}

std::string complaintOf(const SpaceWords &words) {
  Diagnostics diagnostics;
  EXPECT_FALSE(Space::read(words, diagnostics));
  return diagnostics.empty() ? "" : diagnostics.all().front().text;
}

TEST(Space, AlternativesOfSettingsAreCountedLikeAnOdometer) {
  EXPECT_THAT(configurationsOf({.directives = {"coarsen x=2|4 map=interleaved|blocked"}}),
              ElementsAre("coarsen x=2 map=interleaved", "coarsen x=2 map=blocked",
                          "coarsen x=4 map=interleaved", "coarsen x=4 map=blocked"));
}

TEST(Space, CoarseningByOneIsTheBaselineWhateverItsMap) {
  EXPECT_THAT(configurationsOf({.directives = {"coarsen x=1|2 map=interleaved|blocked"}}),
              ElementsAre("baseline", "coarsen x=2 map=interleaved", "coarsen x=2 map=blocked"));
}

TEST(Space, ABarByItselfPartsWholeDirectivesAndAnEmptyOneIsNone) {
  EXPECT_THAT(configurationsOf({.directives = {"| consolidate | specialize buffers=2|3"}}),
              ElementsAre("baseline", "consolidate", "specialize buffers=2", "specialize buffers=3"));
}

TEST(Space, BarsBetweenDirectivesNeedNoBlanks) {
  EXPECT_THAT(configurationsOf({.directives = {"|consolidate"}}), ElementsAre("baseline", "consolidate"));
  EXPECT_THAT(configurationsOf({.directives = {"consolidate|specialize buffers=2|3 |scalar-replace|"}}),
              ElementsAre("consolidate", "specialize buffers=2", "specialize buffers=3", "scalar-replace",
                          "baseline"));
}

TEST(Space, DirectivesKeepTheOrderOfTheCommandLine) {
  EXPECT_THAT(configurationsOf({.directives = {"scalar-replace", "coarsen x=2"}}),
              ElementsAre("scalar-replace; coarsen x=2"));
}

TEST(Space, AFlagGoesOnFromTheWordBeforeIt) {
  EXPECT_THAT(configurationsOf({.flags = {"-maxrregcount=32|64|"}}),
              ElementsAre("-maxrregcount=32", "-maxrregcount=64", "baseline"));
}

TEST(Space, AFlagOfTwoWordsIsTwoFlags) {
  Space space = read({.flags = {"|-Xptxas -dlcm=cg"}});
  EXPECT_THAT(space.configurationAt({1}).compilerFlags(), ElementsAre("-Xptxas", "-dlcm=cg"));
}

TEST(Space, DefinitionsAreFlagsOfTheCompiler) {
  Space space = read({.defines = {"TILE=8|16"}});
  EXPECT_THAT(space.configurationAt({1}).compilerFlags(), ElementsAre("-DTILE=16"));
}

TEST(Space, BlocksAreTheTunersOwn) {
  EXPECT_THAT(configurationsOf({.directives = {"block x=64|128; coarsen x=2"}}),
              ElementsAre("block x=64; coarsen x=2", "block x=128; coarsen x=2"));
}

TEST(Space, SettingsNameEveryDimensionAndNumbersAreNumbers) {
  Space space =
      read({.directives = {"coarsen x=1|2 map=interleaved|blocked"}, .flags = {"-maxrregcount=32|"}});
  EXPECT_EQ(space.settingsAt({1, 1, 1}), R"({"coarsen.x":2,"coarsen.map":"blocked","-maxrregcount":"none"})");
}

TEST(Space, TheSameDirectiveTwiceGivesDimensionsOfDifferentNames) {
  Space space = read({.directives = {"coarsen x=1|2", "coarsen x=1|2"}});
  EXPECT_EQ(space.dimensions()[0].name, "coarsen.x");
  EXPECT_EQ(space.dimensions()[1].name, "coarsen.x#2");
}

TEST(Space, OptionsOfTheVariantWarpsHaveNoEffectWithAnother) {
  EXPECT_THAT(
      configurationsOf({.options = {"--variant=plain|warps|matrix", "--warps=4|8"}}),
      ElementsAre("baseline", "--variant=warps --warps=4", "--variant=warps --warps=8", "--variant=matrix"));
}

TEST(Space, WordsThatMeanNothingAreNamed) {
  EXPECT_THAT(complaintOf({.directives = {"coarsn x=1|2"}}), HasSubstr("coarsn"));
  EXPECT_THAT(complaintOf({.directives = {"block w=64"}}), HasSubstr("w=64"));
  EXPECT_THAT(complaintOf({.directives = {"block x=2000"}}), HasSubstr("x=2000"));
  EXPECT_THAT(complaintOf({.defines = {"TILE|8"}}), HasSubstr("TILE"));
  EXPECT_THAT(complaintOf({.flags = {"maxrregcount=3"}}), HasSubstr("maxrregcount"));
}

TEST(Configuration, DigestsDoNotChangeFromRunToRun) {
  EXPECT_EQ(digestOf({"a", "b"}), digestOf({"a", "b"}));
  EXPECT_NE(digestOf({"ab", "c"}), digestOf({"a", "bc"}));
  // Results of one machine are looked up on another: this value is a promise.
  EXPECT_EQ(digestOf({"heddle"}), "5ab90289a2e6e75d");
}

} // namespace
