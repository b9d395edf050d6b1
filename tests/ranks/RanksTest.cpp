// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are processes: each test calls mpirun with this same program, which knows by its environment that it
// is one of them (see main). Where there is no Open MPI the tests say so and are skipped.
#include "ranks/Ranks.h"

#include "TestPaths.h"
#include "support/Process.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace heddle::ranks {
namespace {

const std::string kPlugins = std::string(HEDDLE_BUILD_DIR) + "/lib";
constexpr const char *kScene = "HEDDLE_TEST_SCENE";

/// True for the first of all ranks that asks.
bool isFirst() {
  const std::string marker = std::string(std::getenv("HEDDLE_TEST_OUT")) + ".first";
  return open(marker.c_str(), O_CREAT | O_EXCL, 0600) >= 0;
}

/// What a worker makes of a task: its square, unless the task is one that ends it.
std::string worked(const std::string &task, int rank) {
  if (task == "kills everybody" || (task == "kills the first" && isFirst()))
    raise(SIGKILL);
  if (task == "hangs the first" && isFirst())
    sleep(1000);
  if (task.find_first_not_of("0123456789") != std::string::npos)
    return "survived";
  usleep(20000); // so that all get something
  const int number = std::atoi(task.c_str());
  return std::to_string(number * number) + " by " + std::to_string(rank);
}

std::vector<std::string> tasksOf(const std::string &scene) {
  std::vector<std::string> tasks;
  for (int i = 0; i < 20; ++i)
    tasks.push_back(std::to_string(i));
  if (scene != "plain" && scene != "enough")
    tasks.insert(tasks.begin() + 3, scene);
  return tasks;
}

/// Rank 0 writes one line for each task, sorted, and what is left over.
void lead(Ranks &ranks, const std::string &scene) {
  const std::vector<std::string> tasks = tasksOf(scene);
  std::vector<std::string> lines;
  auto heard = [&](size_t task, const std::optional<std::string> &answer) {
    lines.push_back(tasks[task] + ": " + answer.value_or("lost"));
    return scene != "enough" || lines.size() < 5;
  };
  const std::vector<size_t> left = ranks.handOut(tasks, scene == "hangs the first" ? 2 : 60, heard);
  std::sort(lines.begin(), lines.end());
  std::ofstream out(std::getenv("HEDDLE_TEST_OUT"));
  for (const std::string &line : lines)
    out << line << "\n";
  out << "left: " << left.size() << "\n";
}

int beRank(const std::string &scene) {
  std::string error;
  std::unique_ptr<Ranks> ranks = openRanks(kPlugins, error);
  if (!ranks)
    return 9;
  if (ranks->rank() == 0)
    lead(*ranks, scene);
  else
    ranks->serve([&](const std::string &task) { return worked(task, ranks->rank()); });
  ranks->finish();
  return 0;
}

struct Played {
  ProcessResult end;
  std::vector<std::string> lines;
  size_t left = 99;
  bool somebodyFell = false; ///< to a task that only the first falls to
};

Played play(const std::string &scene, int size = 3) {
  const std::string out = "/tmp/heddle-ranks-" + std::to_string(getpid());
  std::remove((out + ".first").c_str());
  ProcessRequest command =
      unattended({"mpirun", "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n",
                  std::to_string(size), std::filesystem::read_symlink("/proc/self/exe").string()},
                 {}, 100);
  command.environment = {std::string(kScene) + "=" + scene, "HEDDLE_TEST_OUT=" + out};
  Played played;
  played.end = runToEnd(command);
  std::ifstream in(out);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("left: "))
      played.left = std::stoul(line.substr(6));
    else
      played.lines.push_back(line);
  played.somebodyFell = std::remove((out + ".first").c_str()) == 0;
  std::remove(out.c_str());
  return played;
}

/// The answers without who gave them.
std::vector<std::string> answers(const Played &played) {
  std::vector<std::string> all;
  for (const std::string &line : played.lines)
    all.push_back(line.substr(0, line.find(" by ")));
  return all;
}

std::vector<std::string> squares() {
  std::vector<std::string> all;
  for (int i = 0; i < 20; ++i)
    all.push_back(std::to_string(i) + ": " + std::to_string(i * i));
  std::sort(all.begin(), all.end());
  return all;
}

class RanksTest : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(kPlugins + "/libheddle_ranks.so") ||
        std::system("command -v mpirun > /dev/null"))
      GTEST_SKIP() << "there is no Open MPI here";
  }
};

TEST_F(RanksTest, EveryTaskIsDoneOnceAndAllHaveAPart) {
  Played played = play("plain");
  EXPECT_EQ(played.end.exitCode, 0) << played.end.standardOutput;
  EXPECT_EQ(answers(played), squares());
  EXPECT_EQ(played.left, 0u);
  for (const char *who : {" by 1", " by 2"})
    EXPECT_TRUE(std::any_of(played.lines.begin(), played.lines.end(), [&](const std::string &line) {
      return line.ends_with(who);
    })) << who;
}

TEST_F(RanksTest, ARankThatDiesLosesOnlyItsTaskWhichAnotherDoes) {
  Played played = play("kills the first");
  std::vector<std::string> wanted = squares();
  wanted.push_back("kills the first: survived");
  EXPECT_EQ(answers(played), wanted) << played.end.standardOutput;
  EXPECT_EQ(played.left, 0u);
  EXPECT_TRUE(played.somebodyFell);
}

TEST_F(RanksTest, ARankThatHangsIsEndedAndItsTaskDoneByAnother) {
  Played played = play("hangs the first");
  std::vector<std::string> wanted = squares();
  wanted.push_back("hangs the first: survived");
  EXPECT_EQ(answers(played), wanted) << played.end.standardOutput;
}

TEST_F(RanksTest, ATaskThatKillsTwoIsLostAndTheRestIsDone) {
  Played played = play("kills everybody", 4);
  std::vector<std::string> wanted = squares();
  wanted.push_back("kills everybody: lost");
  EXPECT_EQ(answers(played), wanted) << played.end.standardOutput;
  EXPECT_EQ(played.left, 0u);
}

TEST_F(RanksTest, WhatNoRankIsLeftToDoIsReturned) {
  Played played = play("kills everybody", 2);
  EXPECT_EQ(played.lines.size(), 3u + 17u - played.left + 1u) << played.end.standardOutput;
  EXPECT_GT(played.left, 0u);
}

TEST_F(RanksTest, NothingIsHandedOutWhenEnoughWasHeard) {
  Played played = play("enough");
  EXPECT_EQ(played.end.exitCode, 0) << played.end.standardOutput;
  EXPECT_GE(played.lines.size(), 5u);
  EXPECT_LE(played.lines.size(), 6u); // the other one was at work
  EXPECT_EQ(played.left, 0u);
}

TEST(Ranks, ThePluginsAbsenceIsExplained) {
  std::string error;
  EXPECT_FALSE(openRanks("/nowhere", error));
  EXPECT_THAT(error, testing::HasSubstr("/nowhere/libheddle_ranks.so"));
  EXPECT_THAT(error, testing::HasSubstr("libopenmpi-dev"));
}

TEST(Ranks, EachWorkerHasAGpuOfItsOwn) {
  EXPECT_EQ(deviceOf(0, 4, ""), "0");
  EXPECT_EQ(deviceOf(3, 4, ""), "3");
  EXPECT_EQ(deviceOf(5, 4, ""), "1");
  EXPECT_EQ(deviceOf(2, 0, ""), "2");
  EXPECT_EQ(deviceOf(1, 4, "7,5"), "5");
  EXPECT_EQ(deviceOf(2, 4, "7,5"), "7");
}

} // namespace
} // namespace heddle::ranks

int main(int count, char **words) {
  if (const char *scene = std::getenv("HEDDLE_TEST_SCENE"); scene && heddle::ranks::isUnderMpirun())
    return heddle::ranks::beRank(scene);
  testing::InitGoogleMock(&count, words);
  return RUN_ALL_TESTS();
}
