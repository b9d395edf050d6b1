// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code candidates of a captured launch are replayed with.
#include "TestPaths.h"
#include "support/Files.h"
#include "tune/Maker.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Assembled : testing::Test {
  Problem problem;

  Assembled() {
    problem.file = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs" / "blocks.cu";
    problem.text = contentsOf(problem.file);
    problem.compiler = build::Compiler::Clang;
    problem.compile.cudaPath = "none";
    problem.checked = false;
    problem.captured = ReplayLaunch{"_Z4fillPfi", {8, 1, 1}, {128, 1, 1}, 0, false};
  }
  static Configuration with(const std::string &define, const std::string &flag) {
    Configuration configuration;
    if (!define.empty())
      configuration.defines = {define};
    if (!flag.empty())
      configuration.flags = {flag};
    return configuration;
  }
};

TEST_F(Assembled, TheSamePtxIsAssembledOnceForTheSameFlags) {
  CudaMaker maker(problem);
  auto moduleOf = [&](const Configuration &configuration) {
    const Made made = maker.make(configuration);
    EXPECT_TRUE(made.candidate && made.candidate->replay.launch) << made.reason;
    return made.candidate ? made.candidate->replay.module : fs::path();
  };
  const fs::path baseline = moduleOf({}), same = moduleOf(with("UNUSED=1", "")),
                 limited = moduleOf(with("UNUSED=2", "-maxrregcount=32")),
                 limitedToo = moduleOf(with("UNUSED=3", "-maxrregcount=32"));
  EXPECT_THAT(contentsOf(baseline), HasSubstr("_Z4fillPfi"));
  EXPECT_EQ(same, baseline);
  EXPECT_NE(limited, baseline) << "the assembler heeds the limit";
  EXPECT_EQ(limitedToo, limited);
}

TEST_F(Assembled, OtherCodeIsAnotherModule) {
  CudaMaker maker(problem);
  Configuration coarsened;
  Diagnostics diagnostics;
  coarsened.directives = transform::readDirectives("coarsen x=2", diagnostics);
  const Made baseline = maker.make({}), other = maker.make(coarsened);
  ASSERT_TRUE(baseline.candidate && other.candidate) << baseline.reason << other.reason;
  EXPECT_NE(other.candidate->replay.module, baseline.candidate->replay.module);
}

} // namespace
} // namespace heddle::tune
