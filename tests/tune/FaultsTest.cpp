// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates that do what they must not, and a driver that fails: from end to end, on the simulator. Whatever happens, the search
// ends with the candidate that is right.
#include "GpuTune.h"

namespace heddle::tune {
namespace {

class Faults : public GpuTune {
protected:
  Faults() : GpuTune(Driver::Faulty) {}

  void search(const std::string &choices, const std::string &count = "1000", bool isChecked = false) {
    std::vector<std::string> words = {"-DCOUNT=" + count, "--define",   "CHOICE=" + choices,
                                      "--strategy",       "exhaustive", "--cache",
                                      in("cache"),        "-o",         in("out.cu")};
    if (!isChecked)
      words.push_back("--no-check");
    report = tuneJson("faults.cu", words);
    for (const json &result : report["results"]) {
      const std::string configuration = result["configuration"];
      status[configuration] = result["status"];
      reason[configuration] = result.value("reason", "");
    }
    EXPECT_EQ(status["baseline"], "measured");
    EXPECT_THAT(report["device"].get<std::string>(), HasSubstr("one launch of work"));
  }
  /// 8 and 9 are the same.
  void expectRightWinnerOrTwin() {
    EXPECT_NE(report["best"], "baseline") << report.dump(1);
    EXPECT_EQ(status["-DCHOICE=9"], "measured") << reason["-DCHOICE=9"];
  }
  void expectRightWinner() {
    EXPECT_EQ(status["-DCHOICE=9"], "measured") << reason["-DCHOICE=9"];
    EXPECT_EQ(report["best"], "-DCHOICE=9") << report.dump(1);
    EXPECT_THAT(contentsOf(in("out.cu")), HasSubstr("compile with -DCHOICE=9"));
  }

  json report;
  std::map<std::string, std::string> status, reason;
};

TEST_F(Faults, CandidatesThatHangTrapOrWriteElsewhereNeverWinAndTheSearchGoesOn) {
  search("1|2|3|4|9");
  EXPECT_EQ(status["-DCHOICE=1"], "timed out") << reason["-DCHOICE=1"];
  EXPECT_EQ(status["-DCHOICE=2"], "crashed") << reason["-DCHOICE=2"];
  EXPECT_EQ(status["-DCHOICE=3"], "crashed") << reason["-DCHOICE=3"];
  EXPECT_EQ(status["-DCHOICE=4"], "crashed");
  EXPECT_THAT(reason["-DCHOICE=4"], HasSubstr("the kernel writes outside of all captured memory"));
  expectRightWinner();
}

TEST_F(Faults, ARaceThatNoResultShowsIsFoundBeforeItWins) {
  search("0|10", "1000", true);
  EXPECT_EQ(status["-DCHOICE=10"], "fails check") << reason["-DCHOICE=10"];
  EXPECT_NE(report["best"], "-DCHOICE=10");
  const std::vector<json> results = kept("cache");
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results.back()["status"], "fails check") << "a search that is resumed knows";
}

TEST_F(Faults, AWorkerThatIsKilledLosesNothing) {
  faults = "2:kill,4:kill"; // the first is the baseline
  search("8|9");
  EXPECT_EQ(status["-DCHOICE=8"], "measured") << reason["-DCHOICE=8"];
  expectRightWinnerOrTwin();
}

TEST_F(Faults, AGpuThatIsResetLosesNothing) {
  faults = "3:reset";
  search("8|9");
  EXPECT_EQ(status["-DCHOICE=8"], "measured") << reason["-DCHOICE=8"];
  EXPECT_TRUE(fs::file_size(in("gone")) > 3) << "it was away";
  expectRightWinnerOrTwin();
}

TEST_F(Faults, OneElementInAMillionIsFound) {
  search("5|9", "1000000");
  EXPECT_EQ(status["-DCHOICE=5"], "wrong") << reason["-DCHOICE=5"];
  expectRightWinner();
}

TEST_F(Faults, ADifferenceInPaddingIsFound) {
  search("6|9");
  EXPECT_EQ(status["-DCHOICE=6"], "wrong") << reason["-DCHOICE=6"];
  expectRightWinner();
}

TEST_F(Faults, ADifferenceInMemoryThatTheHostNeverCopiesIsReported) {
  search("0|7");
  EXPECT_EQ(status["-DCHOICE=7"], "measured") << reason["-DCHOICE=7"];
  EXPECT_THAT(reason["-DCHOICE=7"],
              HasSubstr("the whole program computes the same; memory that it does not read differs"));
  EXPECT_THAT(reason["-DCHOICE=7"], HasSubstr("offset 44")) << "where, for whoever cares";
}

/// A disk of a few kilobytes, in a namespace that only the search sees.
class SmallDisk : public Faults {
protected:
  void SetUp() override {
    Faults::SetUp();
    if (IsSkipped())
      return;
    fs::create_directory(disk);
    if (!runProcess(onDisk("4k", {"true"})).succeeded())
      GTEST_SKIP() << "no file system can be mounted here";
  }
  std::vector<std::string> onDisk(const std::string &size, std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"unshare", "-rm", "sh", "-c",
                  "mount -t tmpfs -o size=" + size + " none \"$0\" && exec \"$@\"", disk.string()});
    return words;
  }
  const fs::path disk = fs::path(in("disk"));
};

TEST_F(SmallDisk, ResultsThatCannotBeKeptAreReportedAndTheWinnerIsRight) {
  std::string zeros, choices; // long names make long lines
  for (int i = 0; i < 400; ++i)
    zeros += "+0";
  for (const char *choice : {"0", "2", "3", "5", "6", "8", "9"})
    choices += (choices.empty() ? "CHOICE=" : "|") + (choice + zeros);
  before = onDisk("4k", {});
  const ProcessResult done =
      tune("faults.cu", {"-DCOUNT=1000", "--define", choices, "--no-check", "--strategy", "exhaustive",
                         "--cache", (disk / "cache").string(), "-o", in("out.cu"), "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.standardError;
  EXPECT_THAT(done.standardError, HasSubstr("could not be written to the cache: is the disk full?"));
  report = json::parse(done.standardOutput, nullptr, false);
  ASSERT_TRUE(report.is_object());
  const std::string best = report["best"];
  EXPECT_THAT(best, testing::AnyOf("-DCHOICE=8" + zeros, "-DCHOICE=9" + zeros)) << "which are the same";
  EXPECT_THAT(contentsOf(in("out.cu")), HasSubstr("compile with " + best));
}

TEST_F(SmallDisk, WithoutSpaceForTemporaryFilesThereIsNoWinnerAndTheReasonIsReported) {
  before = onDisk("64k", {"env", "TMPDIR=" + disk.string(), "HEDDLE_COMPILE_CACHE=off"});
  const ProcessResult done =
      tune("faults.cu", {"-DCOUNT=1000", "--define", "CHOICE=5|9", "--no-check", "-o", in("out.cu")});
  EXPECT_NE(done.exitCode, 0) << done.standardOutput;
  EXPECT_FALSE(done.signal) << done.standardError;
  EXPECT_THAT(done.standardError, testing::AnyOf(HasSubstr("disk"), HasSubstr("No space left")));
  EXPECT_FALSE(fs::exists(in("out.cu"))) << contentsOf(in("out.cu"));
}

} // namespace
} // namespace heddle::tune
