// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device gpu` where the simulator is the driver: launches are captured and replayed as on a GPU.
#include "GpuTune.h"

namespace heddle::tune {
namespace {

class ReplaySearch : public GpuTune {
protected:
  ReplaySearch() : GpuTune(Driver::Simulator) {}
};

TEST_F(ReplaySearch, TheLaunchIsReplayedWithTheCodeOfEachCandidate) {
  json report = tuneJson("blocks.cu", {"-k", "add", "-d", "coarsen x=1|2|4"});
  EXPECT_THAT(report["device"].get<std::string>(), HasSubstr("simulator, one launch"));
  ASSERT_EQ(report["results"].size(), 3u) << report.dump(1);
  std::set<std::vector<unsigned>> blocks;
  for (const json &result : report["results"]) {
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    ASSERT_EQ(result["kernels"].size(), 1u);
    EXPECT_EQ(result["kernels"][0]["launches"], 1);
    blocks.insert(result["kernels"][0]["block"].get<std::vector<unsigned>>());
  }
  EXPECT_EQ(blocks.size(), 3u) << "each is launched in its own shape";
}

} // namespace
} // namespace heddle::tune
