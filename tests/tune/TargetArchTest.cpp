// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/TargetArch.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using testing::HasSubstr;

TargetArch targetOn(int major, int minor, const std::string &given = "") {
  Diagnostics none;
  const WantedArch wanted{given.empty() ? "sm_90" : given, !given.empty()};
  return targetArch(wanted, {major, minor}, arch::loadArchs(none));
}

TEST(TargetArch, IsThatOfTheGpuUnlessOneIsGiven) {
  EXPECT_EQ(targetOn(8, 0).name, "sm_80");
  EXPECT_EQ(targetOn(9, 0).name, "sm_90");
  EXPECT_EQ(targetOn(10, 0).name, "sm_100");
  EXPECT_EQ(targetOn(8, 0).note + targetOn(8, 0).error, "");
}

TEST(TargetArch, OfAGpuWithoutATableIsTheNewestBeforeIt) {
  const TargetArch orin = targetOn(8, 7);
  EXPECT_EQ(orin.name, "sm_86");
  EXPECT_THAT(orin.note, HasSubstr("no table for the GPU of this machine, sm_87"));
  EXPECT_EQ(orin.error, "");
  EXPECT_EQ(targetOn(10, 3).name, "sm_100");
}

TEST(TargetArch, OfAGenerationWithoutATableIsAnError) {
  EXPECT_THAT(targetOn(42, 0).error, HasSubstr("sm_420, for which there is no table"));
}

TEST(TargetArch, ThatIsGivenIsTaken) {
  EXPECT_EQ(targetOn(8, 9, "sm_80").name, "sm_80");
  EXPECT_EQ(targetOn(8, 9, "sm_80").error, "") << "within a generation, older code runs on newer GPUs";
  EXPECT_EQ(targetOn(9, 0, "sm_90a").name, "sm_90a");
  EXPECT_EQ(targetOn(9, 0, "sm_90a").error, "");
}

TEST(TargetArch, ThatTheGpuDoesNotRunIsAnError) {
  const TargetArch older = targetOn(9, 0, "sm_80"), newer = targetOn(8, 0, "sm_86");
  EXPECT_THAT(older.error, HasSubstr("is an sm_90, which does not run machine code for sm_80"));
  EXPECT_THAT(older.hint, HasSubstr("--arch sm_90"));
  EXPECT_THAT(older.hint, HasSubstr("--device sim"));
  EXPECT_THAT(newer.error, HasSubstr("does not run machine code for sm_86"));
  EXPECT_NE(targetOn(10, 3, "sm_100a").error, "") << "code for one GPU runs on that one only";
}

} // namespace
} // namespace heddle::tune
