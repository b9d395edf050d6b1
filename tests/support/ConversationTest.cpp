// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Conversation.h"

#include <gmock/gmock.h>

#include <csignal>

using namespace heddle;

namespace {

constexpr double Long = 60;

Conversation *shellCommand(const std::string &script) { return new Conversation({"sh", "-c", script}); }

TEST(Conversation, ALineIsAnsweredByALine) {
  Conversation program({"sh", "-c", "while read line; do echo \"heard $line\"; done"});
  for (const char *word : {"one", "two", "a longer line"}) {
    ASSERT_TRUE(program.say(word));
    EXPECT_EQ(program.hear(Long), "heard " + std::string(word));
  }
  EXPECT_FALSE(program.hasEnded());
}

TEST(Conversation, SeveralLinesAtOnceAreGivenOneByOne) {
  std::unique_ptr<Conversation> program(shellCommand("printf 'first\\nsecond\\nthi'; sleep 0.1; echo rd"));
  EXPECT_EQ(program->hear(Long), "first");
  EXPECT_EQ(program->hear(Long), "second");
  EXPECT_EQ(program->hear(Long), "third");
  EXPECT_EQ(program->hear(Long), std::nullopt);
  EXPECT_TRUE(program->hasEnded());
  EXPECT_EQ(program->howItEnded(), "ended with 0");
}

TEST(Conversation, ProgramsThatSayNothingAreNotWaitedForForever) {
  std::unique_ptr<Conversation> program(shellCommand("exec sleep 1000"));
  EXPECT_EQ(program->hear(0.05), std::nullopt);
  EXPECT_FALSE(program->hasEnded());
}

TEST(Conversation, AnEndIsReportedWithItsReason) {
  std::unique_ptr<Conversation> exits(shellCommand("exit 4")), killed(shellCommand("kill -9 $$"));
  EXPECT_EQ(exits->hear(Long), std::nullopt);
  EXPECT_EQ(exits->howItEnded(), "ended with 4");
  EXPECT_EQ(killed->hear(Long), std::nullopt);
  EXPECT_THAT(killed->howItEnded(), testing::StartsWith("was ended by signal 9"));
}

TEST(Conversation, SayingToAProgramThatHasEndedIsNoEndOfOurs) {
  std::unique_ptr<Conversation> program(shellCommand("exit 0"));
  EXPECT_EQ(program->hear(Long), std::nullopt);
  while (program->say("anybody there?"))
    ; // a pipe may take some before its reader's end is noticed
  EXPECT_FALSE(program->say("still?"));
}

TEST(Conversation, AProgramThatIsNotThereCouldNotBeStarted) {
  Conversation program({"/no/such/program"});
  EXPECT_EQ(program.hear(Long), std::nullopt);
  EXPECT_EQ(program.howItEnded(), "could not be started");
}

TEST(Conversation, TheEnvironmentIsPassedOn) {
  Conversation program({"sh", "-c", "echo $HEDDLE_SAYS"}, {"HEDDLE_SAYS=hello"});
  EXPECT_EQ(program.hear(Long), "hello");
}

} // namespace
