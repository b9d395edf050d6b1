// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Cache.h"

#include "support/Paths.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;
using testing::HasSubstr;

namespace {

struct CacheTest : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "results.jsonl";
  Problem problem;
  std::string error;

  CacheTest() {
    problem.file = "saxpy.cu";
    problem.text = "int main() {}";
  }
  std::unique_ptr<Cache> open() {
    error.clear();
    return Cache::open(file, problem, error);
  }
  Evaluation evaluation(const std::string &define, Status status = Status::Measured, double micros = 3) {
    Evaluation made;
    if (!define.empty())
      made.configuration.defines = {define};
    made.result.id = problem.idOf(made.configuration);
    made.result.status = status;
    made.result.micros = made.result.q1 = made.result.q3 = micros;
    made.result.device = "sm_90 (model)";
    made.result.predicted = true;
    made.digest = "0123";
    return made;
  }
  const Kept *find(const Cache &cache, const std::string &define) {
    return cache.find(evaluation(define).result.id, true, "sm_90 (model)");
  }
};

TEST_F(CacheTest, WhatWasKeptIsThereWhenItIsOpenedAgain) {
  open()->append(evaluation("TILE=8", Status::Measured, 4.5));
  std::unique_ptr<Cache> again = open();
  ASSERT_TRUE(again) << error;
  const Kept *kept = find(*again, "TILE=8");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->configuration, "-DTILE=8");
  EXPECT_EQ(kept->digest, "0123");
  EXPECT_EQ(kept->result.micros, 4.5);
  EXPECT_FALSE(find(*again, "TILE=16"));
}

TEST_F(CacheTest, ALineThatAKillCutShortIsDroppedAndTheRestStays) {
  {
    std::unique_ptr<Cache> cache = open();
    cache->append(evaluation("TILE=8"));
    cache->append(evaluation("TILE=16"));
  }
  const auto whole = std::filesystem::file_size(file);
  for (uintmax_t cut : {1, 2, 10, 40}) {
    std::filesystem::resize_file(file, whole - cut);
    std::unique_ptr<Cache> cache = open();
    ASSERT_TRUE(cache) << error;
    EXPECT_TRUE(find(*cache, "TILE=8"));
    EXPECT_FALSE(find(*cache, "TILE=16"));
    cache->append(evaluation("TILE=16"));
    EXPECT_EQ(std::filesystem::file_size(file), whole) << "nothing of the torn line is left";
  }
  EXPECT_EQ(readKept(file)->size(), 2u);
}

TEST_F(CacheTest, ResultsOfAnotherProblemAreRefused) {
  open()->append(evaluation("TILE=8"));
  problem = {};
  problem.file = "saxpy.cu";
  problem.text = "int main() { return 1; }";
  EXPECT_FALSE(open());
  EXPECT_THAT(error, HasSubstr("another program"));
}

TEST_F(CacheTest, AFileOfAnotherProblemWithoutResultsIsOverwritten) {
  ASSERT_TRUE(open()); // a baseline that did not compile leaves no result
  problem = {};
  problem.file = "saxpy.cu";
  problem.text = "int main() { return 1; }";
  ASSERT_TRUE(open()) << error;
  open()->append(evaluation("TILE=8"));
  std::unique_ptr<Cache> again = open();
  ASSERT_TRUE(again) << error;
  EXPECT_TRUE(find(*again, "TILE=8"));
}

TEST_F(CacheTest, AfterABaselineThatFailedTheSearchBeginsAgain) {
  open()->append(evaluation("", Status::DoesNotCompile));
  ASSERT_TRUE(open()) << error;
  EXPECT_FALSE(find(*open(), "")) << "a header may have been added";
  open()->append(evaluation("", Status::Crashed));
  problem = {};
  problem.file = "saxpy.cu";
  problem.text = "int main() { return 1; }";
  EXPECT_TRUE(open()) << error;

  // Not if it was measured once.
  open()->append(evaluation(""));
  open()->append(evaluation("", Status::Lost));
  EXPECT_TRUE(find(*open(), ""));
}

TEST_F(CacheTest, AFileThatIsSomethingElseIsRefusedAndLeftAlone) {
  std::ofstream(file) << "a letter to mother\n";
  EXPECT_FALSE(open());
  EXPECT_EQ(std::filesystem::file_size(file), 19u);
}

TEST_F(CacheTest, TwoSearchesDoNotFillOneFile) {
  std::unique_ptr<Cache> first = open();
  EXPECT_FALSE(open());
  EXPECT_THAT(error, HasSubstr("another search"));
}

TEST_F(CacheTest, LostCandidatesMayBeTriedAgain) {
  std::unique_ptr<Cache> cache = open();
  cache->append(evaluation("TILE=8", Status::Lost));
  EXPECT_FALSE(find(*cache, "TILE=8"));
  cache->append(evaluation("TILE=8"));
  EXPECT_TRUE(find(*cache, "TILE=8"));
}

TEST_F(CacheTest, PredictionsAreNotTakenForMeasurements) {
  std::unique_ptr<Cache> cache = open();
  cache->append(evaluation("TILE=8"));
  cache->append(evaluation("TILE=16", Status::Refused));
  EXPECT_FALSE(cache->find(evaluation("TILE=8").result.id, false, ""));
  EXPECT_TRUE(cache->find(evaluation("TILE=16").result.id, false, "NVIDIA H200"))
      << "refused is refused anywhere";
}

TEST_F(CacheTest, NamesDependOnEverythingThatAResultDependsOn) {
  Problem other = problem;
  auto idOf = [](Problem one) { return one.idOf({}); };
  std::set<std::string> ids = {idOf(problem)};
  other.text += " ";
  ids.insert(idOf(other));
  other = problem, other.arguments = {"5"};
  ids.insert(idOf(other));
  other = problem, other.flags = {"-DN=5"};
  ids.insert(idOf(other));
  other = problem, other.arch = "sm_80";
  ids.insert(idOf(other));
  EXPECT_EQ(ids.size(), 5u);
}

TEST_F(CacheTest, NamesDependOnIncludedFilesOfTheUser) {
  problem.file = folder.path() / "saxpy.cu";
  problem.text = "#include \"part.h\"\n";
  std::ofstream(folder.path() / "part.h") << "#include \"deep.h\"\n";
  std::ofstream(folder.path() / "deep.h") << "1";
  Problem before = problem, after = problem;
  before.digest();
  std::ofstream(folder.path() / "deep.h") << "2";
  EXPECT_NE(before.digest(), after.digest());
}

} // namespace
