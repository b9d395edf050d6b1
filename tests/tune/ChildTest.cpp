// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Child.h"

#include "support/Process.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <unistd.h>

using namespace heddle;
using namespace heddle::tune;
using testing::HasSubstr;

namespace {

TEST(Child, BringsBackWhatTheWorkReturns) {
  const std::string much(1 << 20, 'x');
  ChildAnswer answer = inChild(10, [&] { return much; });
  EXPECT_EQ(answer.how, ChildAnswer::How::Answered);
  EXPECT_EQ(answer.text, much);
}

TEST(Child, ACrashIsTold) {
  ChildAnswer answer = inChild(10, []() -> std::string {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return "";
  });
  EXPECT_EQ(answer.how, ChildAnswer::How::Crashed);
  EXPECT_THAT(answer.reason, HasSubstr("signal 11"));
}

TEST(Child, AnExceptionIsTold) {
  ChildAnswer answer = inChild(10, []() -> std::string { throw std::runtime_error("no such luck"); });
  EXPECT_EQ(answer.how, ChildAnswer::How::Crashed);
  EXPECT_THAT(answer.reason, HasSubstr("no such luck"));
}

TEST(Child, WhatTakesTooLongIsStoppedWithAllThatItStarted) {
  // The sleeper is in a process group of its own, as compilers are.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ChildAnswer answer = inChild(0.5, [&]() -> std::string {
    close(ends[0]);
    return runProcess({"sleep", "600"}).standardOutput;
  });
  EXPECT_EQ(answer.how, ChildAnswer::How::TimedOut);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the last who held the pipe is gone"; // would wait for the sleeper
  close(ends[0]);
}

} // namespace
