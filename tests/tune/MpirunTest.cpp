// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune` by several processes of mpirun against one process: the same program, the same space, on
// the simulator. Skipped, and said so, where there is no Open MPI.
#include "TestPaths.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "tune/Cache.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

const std::string kHeddle = std::string(HEDDLE_BUILD_DIR) + "/heddle";
const std::string kProgram = std::string(HEDDLE_SOURCE_DIR) + "/tests/tune/programs/deadly.cu";

class MpirunTest : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(std::string(HEDDLE_BUILD_DIR) + "/lib/libheddle_ranks.so") ||
        std::system("command -v mpirun > /dev/null"))
      GTEST_SKIP() << "there is no Open MPI here";
  }

  /// The marker goes into the arguments, and so into the names of candidates: it must be the same for all
  /// runs that are compared.
  ProcessResult tune(const std::vector<std::string> &before, const std::string &defines,
                     const std::string &cache) {
    std::vector<std::string> words = before;
    for (const std::string &word :
         {kHeddle, std::string("tune"), kProgram, std::string("--define"), defines, std::string("--compiler"),
          std::string("clang"), std::string("--device"), std::string("sim"), std::string("--no-check"),
          std::string("--whole-program"), std::string("--cache"), (folder.path() / cache).string(),
          std::string("--"), marker.string()})
      words.push_back(word);
    return runToEnd(unattended(words, folder.path(), 200));
  }
  std::map<std::string, std::string> found(const std::string &cache) {
    std::map<std::string, std::string> all;
    for (const Kept &kept : readKept(folder.path() / cache).value_or(std::vector<Kept>()))
      all[kept.result.id] = kept.configuration + " " + runner::nameOf(kept.result.status) + " " +
                            std::to_string(kept.result.micros);
    return all;
  }

  const std::vector<std::string> mpirun = {
      "mpirun", "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n", "3"};
  TemporaryFolder folder;
  fs::path marker = folder.path() / "killed";
};

TEST_F(MpirunTest, ThreeProcessesFindWhatOneFinds) {
  ProcessResult alone = tune({}, "DEADLY=0|1", "one"), shared = tune(mpirun, "DEADLY=0|1", "three");
  EXPECT_EQ(alone.exitCode, 0) << alone.standardOutput;
  EXPECT_EQ(shared.exitCode, 0) << shared.standardOutput;
  EXPECT_EQ(found("one").size(), 3u) << alone.standardOutput;
  EXPECT_EQ(found("three"), found("one"));
}

TEST_F(MpirunTest, AKilledProcessLosesOnlyItsCandidateWhichAnotherMeasures) {
  ProcessResult shared = tune(mpirun, "DEADLY=1|2", "three");
  EXPECT_TRUE(fs::exists(marker));
  EXPECT_THAT(shared.standardOutput, testing::HasSubstr("3 predicted")) << shared.standardOutput;
  for (const auto &[id, text] : found("three"))
    EXPECT_THAT(text, testing::HasSubstr(" measured "));
  EXPECT_EQ(found("three").size(), 3u);
}

TEST_F(MpirunTest, AloneAKilledSearchGoesOnWhereItWas) {
  ProcessResult killed = tune({}, "DEADLY=1|2", "one");
  EXPECT_NE(killed.signal, 0) << killed.standardOutput;
  EXPECT_EQ(found("one").size(), 2u);
  ProcessResult again = tune({}, "DEADLY=1|2", "one");
  EXPECT_EQ(again.exitCode, 0) << again.standardOutput;
  EXPECT_EQ(found("one").size(), 3u);
  EXPECT_EQ(readKept(folder.path() / "one")->size(), 3u); // nothing was measured twice
}

} // namespace
} // namespace heddle::tune
