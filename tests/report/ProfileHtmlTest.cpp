// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/ProfileHtml.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::HasSubstr;

class ProfileHtml : public testing::Test {
protected:
  ProfileHtml() {
    file = (folder.path() / "a.cu").string();
    writeFileOrThrow(file, "one\nif (a < b)\n  two;\nfour\n");
    kernels.resize(1);
    kernels[0].kernel = "_Z1kv", kernels[0].launches = 1, kernels[0].block[0] = 64, kernels[0].registers = 32;
    kernels[0].branches = 10, kernels[0].divergentBranches = 4, kernels[0].lostShare = 0.25;
    kernels[0].lines = {{{file, 2}, 10, 4, 0.25}};
    divergence::LaunchProfile launch;
    launch.kernel = "_Z1kv";
    launch.blocks = {{{file, 1}, {{"add.f32", 3}}, 10, 320}, {{file, 3}, {{"mul.f32", 1}}, 10, 80}};
    launches.launches = {launch, launch};
    estimates["_Z1kv"].sum.micros = 10;
    estimates["_Z1kv"].sum.limit = model::Limit::Dram;
    estimates["_Z1kv"].sum.microsBy[unsigned(model::Limit::Dram)] = 8;
    estimates["_Z1kv"].sum.dramBytes = 1e6;
    estimates["_Z1kv"].operations.single = 1e6;
  }
  std::string page() const {
    Diagnostics diagnostics;
    const arch::Arch arch = arch::findArch("sm_90", diagnostics).value();
    return profileHtml("a.cu", {arch, kernels, {"k<4>()"}, divergence::MemoryLevel::L1, estimates}, launches);
  }
  TemporaryFolder folder;
  std::string file;
  std::vector<divergence::KernelSummary> kernels;
  divergence::ProgramProfile launches;
  std::map<std::string, counts::KernelEstimate> estimates;
};

TEST_F(ProfileHtml, RoundsAsTheTextDoes) {
  kernels[0].lostShare = 0.3125; // 31.25 % lies in the middle
  EXPECT_EQ(percentText(0.3125), "31.3 %");
  EXPECT_THAT(page(), HasSubstr("31.3 %"));
}

TEST_F(ProfileHtml, HasCountsAndHeatAtTheLinesOfBasicBlocks) {
  const std::string text = page();
  // 10 executions in each of two launches: 60 of 80 issued instructions, all lanes active.
  EXPECT_THAT(
      text,
      HasSubstr("<td class=\"no\">1</td><td class=\"heat\" style=\"--h:1.00\">20</td><td class=\"heat\" "
                "style=\"--h:0.00\">32.0</td>"));
  EXPECT_THAT(
      text,
      HasSubstr("<td class=\"no\">3</td><td class=\"heat\" style=\"--h:0.33\">20</td><td class=\"heat\" "
                "style=\"--h:0.75\">8.0</td>"));
}

TEST_F(ProfileHtml, NamesTheBranchThatDiverges) {
  EXPECT_THAT(
      page(),
      HasSubstr(
          "<b>divergent branch</b>: diverged in 4 of 10 (40.0 %) executions, 25.0 % of all lane slots lost"));
  EXPECT_THAT(page(), HasSubstr("k&lt;4&gt;()"));
}

TEST_F(ProfileHtml, ShowsWhatItIsBoundByAndTheRoofline) {
  EXPECT_THAT(page(), HasSubstr("<tr class=\"most\"><td>DRAM</td><td class=\"n\">8.00 us</td>"));
  EXPECT_THAT(page(), HasSubstr("arithmetic intensity, FLOP per byte"));
}

TEST_F(ProfileHtml, AFileThatCannotBeReadIsCounted) {
  for (auto &launch : launches.launches)
    launch.blocks[0].location.file = "/usr/include/nowhere.h";
  EXPECT_THAT(page(), HasSubstr("1 header of the system or the toolkit: not shown"));
}

} // namespace
} // namespace heddle::report
