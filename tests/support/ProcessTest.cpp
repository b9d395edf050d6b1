// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Process.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(Process, KeepsTheTwoStreamsAndTheExitCodeApart) {
  ProcessResult r = runProcess({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(r.standardOutput, "out\n");
  EXPECT_EQ(r.standardError, "err\n");
  EXPECT_EQ(r.exitCode, 3);
}

TEST(Process, PassesEnvironmentOn) {
  EXPECT_EQ(runProcess({"sh", "-c", "printf %s \"$HEDDLE_X\""}, {"HEDDLE_X=a b"}).standardOutput, "a b");
}

TEST(Process, KillsTheWholeGroupAfterItsTime) {
  ProcessResult r = runProcess({"sh", "-c", "sleep 60 & sleep 60"}, {}, 0.2);
  EXPECT_TRUE(r.timedOut);
  EXPECT_EQ(r.exitCode, 128 + 9);
}

TEST(Process, AProgramThatIsNotThereExits127) {
  EXPECT_EQ(runProcess({"heddle-no-such-program"}).exitCode, 127);
  EXPECT_FALSE(findProgram("heddle-no-such-program"));
  EXPECT_TRUE(findProgram("sh"));
}
