// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports state where their counts are from.
#include "report/ProfileHtml.h"
#include "report/ProfileReport.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProfileOriginTest : public testing::Test {
protected:
  ProfileOriginTest() {
    kernels.resize(1);
    kernels[0].kernel = "_Z1kv", kernels[0].launches = 1, kernels[0].registers = 32;
    kernels[0].lostShare = 0.25, kernels[0].lostShareByModel = 0.125;
  }
  ProfileOfProgram shown(const ProfileOrigin &origin) const {
    return {arch, kernels, names, divergence::MemoryLevel::L1, {}, {}, origin};
  }

  Diagnostics diagnostics;
  const arch::Arch arch = arch::findArch("sm_90", diagnostics).value();
  std::vector<divergence::KernelSummary> kernels;
  const std::vector<std::string> names = {"k()"};
};

TEST_F(ProfileOriginTest, TheSimulatorIsNotMentionedInText) {
  const std::string text = profileText(shown({}));
  EXPECT_THAT(text, Not(HasSubstr("measured")));
  EXPECT_THAT(text, HasSubstr("25.0 % of all lane slots lost\n"));
  EXPECT_THAT(text, HasSubstr("with about 32 registers"));
}

TEST_F(ProfileOriginTest, AGpuIsNamedWithWhatItMeasured) {
  const std::string text = profileText(shown({"NVIDIA H200", {{"_Z1kv", 3}}}));
  EXPECT_THAT(text,
              HasSubstr("measured    on NVIDIA H200, in one of 3 thread blocks: vectors, branches, warps, "
                        "slots; cycles are the model's\n"));
  EXPECT_THAT(text, HasSubstr("25.0 % of all lane slots lost, 12.5 % by the model of the vectors\n"));
  EXPECT_THAT(text, HasSubstr("with 32 registers"));
}

TEST_F(ProfileOriginTest, JsonHasTheOriginOfEachNumber) {
  const nlohmann::ordered_json simulated = profileJson(shown({}));
  EXPECT_EQ(simulated["origin"]["device"], "sim");
  EXPECT_EQ(simulated["origin"]["name"], nullptr);
  EXPECT_EQ(simulated["origin"]["counts"], "simulated");
  EXPECT_EQ(simulated["kernels"][0]["globalSectors"], 0);
  EXPECT_EQ(simulated["kernels"][0]["countedBlocks"], 1.0);
  const nlohmann::ordered_json measured = profileJson(shown({"NVIDIA H200", {{"_Z1kv", 4}}}));
  EXPECT_EQ(measured["origin"]["device"], "gpu");
  EXPECT_EQ(measured["origin"]["name"], "NVIDIA H200");
  EXPECT_EQ(measured["origin"]["counts"], "measured");
  EXPECT_EQ(measured["origin"]["globalMemory"], nullptr);
  EXPECT_EQ(measured["origin"]["cycles"], "model");
  EXPECT_EQ(measured["kernels"][0]["globalSectors"], nullptr);
  EXPECT_EQ(measured["kernels"][0]["countedBlocks"], 0.25);
}

TEST_F(ProfileOriginTest, APageNamesTheGpu) {
  EXPECT_THAT(profileHtml("a.cu", shown({"NVIDIA H200", {}}), {}), HasSubstr("counted on NVIDIA H200"));
  EXPECT_THAT(profileHtml("a.cu", shown({}), {}), HasSubstr("run on the simulator"));
}

} // namespace
} // namespace heddle::report
