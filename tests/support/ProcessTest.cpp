// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Process.h"

#include "support/Paths.h"
#include "support/StartedProcess.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

using namespace heddle;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// A pipe whose other end is held by everything that was forked here and has not ended or closed it.
struct Held {
  Held() { EXPECT_EQ(pipe(ends), 0); }
  ~Held() { close(ends[0]); }
  /// Waits for the last who holds it: a test that fails here hangs.
  bool isGone() {
    close(ends[1]);
    char byte;
    return ::read(ends[0], &byte, 1) == 0;
  }
  int ends[2];
};

ProcessRequest shell(const std::string &script) { return {.command = {"sh", "-c", script}}; }

TEST(Process, KeepsTheTwoStreamsAndTheExitCodeApart) {
  ProcessResult r = runProcess({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(r.standardOutput, "out\n");
  EXPECT_EQ(r.standardError, "err\n");
  EXPECT_EQ(r.exitCode, 3);
  EXPECT_TRUE(r.exited());
}

TEST(Process, PassesEnvironmentOn) {
  EXPECT_EQ(runProcess({"sh", "-c", "printf %s \"$HEDDLE_X\""}, {"HEDDLE_X=a b"}).standardOutput, "a b");
}

TEST(Process, AVariableThatIsGivenReplacesOurs) {
  setenv("HEDDLE_X", "ours", 1);
  EXPECT_EQ(runProcess({"sh", "-c", "env | grep ^HEDDLE_X"}, {"HEDDLE_X=given"}).standardOutput,
            "HEDDLE_X=given\n");
  unsetenv("HEDDLE_X");
}

TEST(Process, RunsInTheFolderItIsGiven) {
  TemporaryFolder folder;
  ProcessRequest request = shell("pwd");
  request.folder = folder.path();
  EXPECT_EQ(runToEnd(request).standardOutput, folder.path().string() + "\n");
}

TEST(Process, KillsTheWholeGroupAfterItsTime) {
  Held held;
  ProcessResult r = runProcess({"sh", "-c", "sleep 600 & sleep 600"}, {}, 0.2);
  EXPECT_TRUE(r.timedOut);
  EXPECT_FALSE(r.exited());
  EXPECT_EQ(r.exitCode, 128 + 9);
  EXPECT_EQ(whyFailed(r), "took longer than 0.2 s");
  EXPECT_TRUE(held.isGone());
}

TEST(Process, WhatItLeavesBehindIsKilledWithItsGroup) {
  Held held;
  ProcessResult r = runProcess({"sh", "-c", "sleep 600 & echo done"}, {}, 100);
  EXPECT_FALSE(r.timedOut);
  EXPECT_EQ(r.standardOutput, "done\n");
  EXPECT_TRUE(held.isGone());
}

TEST(Process, InOurGroupOutputIsReadUntilAllHaveClosedIt) {
  ProcessRequest request = shell("(sleep 0.3; echo later) & echo first");
  request.ties = Ties::Ours;
  EXPECT_EQ(runToEnd(request).standardOutput, "first\nlater\n");
}

TEST(Process, AProcessThatClosesItsOutputIsStillWaitedFor) {
  ProcessRequest request = shell("exec >&- 2>&-; sleep 0.2; exit 4");
  EXPECT_EQ(runToEnd(request).exitCode, 4);
  request.seconds = 100;
  EXPECT_EQ(runToEnd(request).exitCode, 4);
}

TEST(Process, ASignalIsReported) {
  ProcessResult r = runProcess({"sh", "-c", "kill -SEGV $$"});
  EXPECT_EQ(r.signal, SIGSEGV);
  EXPECT_EQ(r.exitCode, 128 + SIGSEGV);
  EXPECT_FALSE(r.exited());
  EXPECT_THAT(whyFailed(r), StartsWith("was ended by signal 11"));
}

TEST(Process, HowItEndedIsKnownWhereAParentIgnoredTheSignal) {
  signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(runProcess({"sh", "-c", "exit 3"}).exitCode, 3);
  signal(SIGCHLD, SIG_DFL);
}

TEST(Process, AProgramThatIsNotThereExits127) {
  EXPECT_EQ(runProcess({"heddle-no-such-program"}).exitCode, 127);
  EXPECT_FALSE(findProgram("heddle-no-such-program"));
  EXPECT_TRUE(findProgram("sh"));
}

TEST(Process, SaysWhatCannotBeRun) {
  ProcessResult r = runToEnd(unattended({"/nowhere/nothing"}, {}, 60));
  EXPECT_EQ(r.exitCode, 127);
  EXPECT_EQ(r.standardOutput, "cannot run /nowhere/nothing: No such file or directory\n");
}

TEST(Process, KeepsBothEndsOfEndlessOutput) {
  ProcessResult r = runToEnd(unattended({"sh", "-c", "echo begin; yes | head -c 5000000; echo end"}, {}, 60));
  EXPECT_TRUE(r.succeeded());
  EXPECT_LT(r.standardOutput.size(), 4u << 20);
  EXPECT_THAT(r.standardOutput, StartsWith("begin\n"));
  EXPECT_THAT(r.standardOutput, EndsWith("y\nend\n"));
}

TEST(Process, UnattendedProgramsReadNothingAndMixTheirStreams) {
  ProcessResult r = runToEnd(unattended({"sh", "-c", "cat; echo out; echo err >&2; echo out"}));
  EXPECT_EQ(r.standardOutput, "out\nerr\nout\n");
  EXPECT_EQ(r.standardError, "");
}

TEST(Process, MemoryCanBeLimited) {
  ProcessRequest request{
      .command = {"sh", "-c", "x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo ${#x}"}};
  EXPECT_EQ(runToEnd(request).standardOutput, "100000000\n");
  request.memoryBytes = 50 << 20;
  EXPECT_FALSE(runToEnd(request).succeeded());
}

TEST(Process, ReportsWhatWasUsed) {
  ProcessResult r = runProcess({"sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"});
  EXPECT_GT(r.processorSeconds, 0);
  EXPECT_GT(r.peakBytes, 100u << 10);
  EXPECT_GT(r.seconds, 0);
}

TEST(WorkInACopy, BringsBackWhatItReturns) {
  const std::string much(1 << 20, 'x');
  ProcessResult answer = runInCopy(10, [&] { return much; });
  EXPECT_TRUE(answer.succeeded());
  EXPECT_EQ(answer.standardOutput, much);
}

TEST(WorkInACopy, ACrashIsReported) {
  ProcessResult answer = runInCopy(10, []() -> std::string {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return "";
  });
  EXPECT_FALSE(answer.succeeded());
  EXPECT_THAT(whyFailed(answer), HasSubstr("signal 11"));
}

TEST(WorkInACopy, AnExceptionIsReported) {
  ProcessResult answer = runInCopy(10, []() -> std::string { throw std::runtime_error("no such luck"); });
  EXPECT_FALSE(answer.succeeded());
  EXPECT_EQ(whyFailed(answer), "no such luck");
}

TEST(WorkInACopy, WhatTakesTooLongIsStoppedWithAllThatItStarted) {
  // The sleeper is in a process group of its own, as compilers are.
  Held held;
  ProcessResult answer =
      runInCopy(0.5, [&]() -> std::string { return runProcess({"sleep", "600"}).standardOutput; });
  EXPECT_TRUE(answer.timedOut);
  EXPECT_TRUE(held.isGone());
}

TEST(WorkInACopy, ItsTemporaryFilesGoWithIt) {
  ProcessResult answer = runInCopy(10, []() -> std::string {
    auto *folder = new TemporaryFolder; // never destroyed: as where the copy is killed
    std::ofstream(folder->path() / "large") << "much";
    return folder->path().string();
  });
  EXPECT_TRUE(answer.succeeded());
  EXPECT_FALSE(std::filesystem::exists(answer.standardOutput)) << answer.standardOutput;
}

std::function<std::string()> saying(std::string text) {
  return [text = std::move(text)] { return text; };
}

TEST(StartedCopies, SeveralAreAtWorkAtATime) {
  // Each waits for a file that another one writes, so none ends unless all are started.
  TemporaryFolder folder;
  const auto meet = [&](int mine, int others) {
    return [&folder, mine, others]() -> std::string {
      std::ofstream(folder.path() / std::to_string(mine)) << "here";
      while (!std::filesystem::exists(folder.path() / std::to_string(others)))
        usleep(1000);
      return "met " + std::to_string(others);
    };
  };
  const std::vector<ProcessResult> results = runInCopies(3, 60, {meet(0, 1), meet(1, 2), meet(2, 0)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].standardOutput, "met 1");
  EXPECT_EQ(results[1].standardOutput, "met 2");
  EXPECT_EQ(results[2].standardOutput, "met 0");
}

TEST(StartedCopies, ResultsComeInTheOrderOfTheWorksWhateverTheirNumber) {
  std::vector<std::function<std::string()>> works;
  for (int i = 0; i < 20; ++i)
    works.push_back(saying(std::to_string(i)));
  const std::vector<ProcessResult> results = runInCopies(4, 60, works);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(results[size_t(i)].standardOutput, std::to_string(i));
  EXPECT_TRUE(runInCopies(4, 60, {}).empty());
}

TEST(StartedCopies, OneThatCrashesOrTakesTooLongLeavesTheOthersAlone) {
  const auto crash = []() -> std::string { abort(); };
  const auto hang = []() -> std::string {
    for (;;)
      pause();
  };
  const std::vector<ProcessResult> results = runInCopies(2, 1, {crash, hang, saying("fine")});
  EXPECT_EQ(results[0].signal, SIGABRT);
  EXPECT_TRUE(results[1].timedOut);
  EXPECT_EQ(results[2].standardOutput, "fine");
}

TEST(StartedCopies, MoreThanAPipeHoldsIsReadWhileItRuns) {
  StartedCopy copy(60, saying(std::string(1 << 20, 'x')));
  while (!copy.isOver())
    waitForCopies();
  EXPECT_EQ(copy.result().standardOutput.size(), size_t(1) << 20);
}

TEST(StartedCopies, OneThatIsNotNeededAnyMoreIsKilled) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "process";
  {
    StartedCopy copy(0, [&]() -> std::string {
      std::ofstream(file) << getpid() << std::endl;
      for (;;)
        pause();
    });
    while (!std::filesystem::exists(file) || std::filesystem::is_empty(file))
      waitForCopies();
  }
  pid_t process = 0;
  std::ifstream(file) >> process;
  ASSERT_GT(process, 0);
  EXPECT_NE(kill(process, 0), 0) << "it is still there";
}

TEST(StartedProcess, AProgramThatIsNotThereIsOver) {
  ProcessRequest request;
  request.command = {"/no/such/program"};
  StartedProcess process(request);
  while (!process.isOver())
    waitForCopies();
  EXPECT_EQ(process.result().exitCode, 127);
}

} // namespace
