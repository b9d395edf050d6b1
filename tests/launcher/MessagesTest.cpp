// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/Messages.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::launcher;

namespace {

Message refusal() {
  Diagnostic diagnostic{
      Severity::Refusal, {"a.cu", 4, 16, 0, ""}, "coarsen x=5: does not divide [coarsen]", {}, "x=4"};
  diagnostic.note({"a.cu", 9, 3, 0, ""}, "launched here");
  return messageFrom(diagnostic);
}

WarningFlags flagsOf(std::initializer_list<std::string_view> words) {
  WarningFlags flags;
  for (std::string_view word : words)
    EXPECT_TRUE(flags.take(word));
  return flags;
}

} // namespace

TEST(Messages, AreThoseOfACompiler) {
  EXPECT_EQ(textOf({refusal(), refusal()}, {}),
            "a.cu:4:16: warning: coarsen x=5: does not divide [-Wheddle]\n"
            "a.cu:9:3: note: launched here\n"
            "a.cu:4:16: note: x=4\n");
  EXPECT_EQ(textOf({}, {}), "");
}

TEST(Messages, HaveTheColorsOfOtherMessages) {
  EXPECT_EQ(textOf({refusal()}, {}, true),
            "\033[1ma.cu:4:16: \033[0m\033[1;35mwarning:\033[0m coarsen x=5: does not divide [-Wheddle]\n"
            "\033[1ma.cu:9:3: \033[0m\033[1;36mnote:\033[0m launched here\n"
            "\033[1ma.cu:4:16: \033[0m\033[1;36mnote:\033[0m x=4\n");
}

TEST(Messages, AssumptionsComeFromTheEnvironment) {
  const Diagnostic diagnostic{
      Severity::Refusal, {"a.cu", 4}, "no", {}, "--assume no-overlap, where it is so"};
  EXPECT_EQ(textOf({messageFrom(diagnostic)}, {}),
            "a.cu:4: warning: no [-Wheddle]\na.cu:4: note: HEDDLE_ASSUME=no-overlap, where it is so\n");
}

TEST(Messages, BlocksAreNotGivenByAnOption) {
  const Diagnostic diagnostic{
      Severity::Refusal, {"a.cu", 4}, "the block size is unknown", {}, "give it with --block X,Y,Z"};
  EXPECT_EQ(
      textOf({messageFrom(diagnostic)}, {}),
      "a.cu:4: warning: the block size is unknown [-Wheddle]\n"
      "a.cu:4: note: launch it with a constant block, or transform the file by heddle opt --block X,Y,Z\n");
}

TEST(Messages, OptionsOfOptAreNamedWithTheirVerb) {
  const auto noteFor = [](const char *hint) {
    return messageFrom(Diagnostic{Severity::Refusal, {"a.cu", 4}, "no", {}, hint}).notes.back().text;
  };
  EXPECT_EQ(noteFor("give threads=N, or --block X,Y,Z"),
            "give threads=N, or transform the file by heddle opt --block X,Y,Z");
  EXPECT_EQ(noteFor("--arch sm_90a"), "compile for sm_90a");
}

TEST(Messages, RemarksAreNeverErrors) {
  const Diagnostic unchanged{Severity::Kept, {"a.cu", 4}, "left unchanged", {}, {}};
  const std::vector<Message> messages = {messageFrom(unchanged, Message::Kind::Remark)};
  const WarningFlags errors = flagsOf({"-Werror=heddle"});
  EXPECT_EQ(textOf(messages, errors), "a.cu:4: remark: left unchanged\n");
  EXPECT_FALSE(isError(messages, errors));
  EXPECT_TRUE(isError({refusal()}, errors));
  EXPECT_FALSE(isError({refusal()}, {}));
  EXPECT_FALSE(isError({refusal()}, flagsOf({"-Werror=heddle", "-Wno-heddle"})));
  EXPECT_TRUE(textOf(messages, flagsOf({"-Wno-heddle"})).empty());
}

TEST(Messages, FlagsDecideWhatTheyAre) {
  EXPECT_TRUE(textOf({refusal()}, flagsOf({"-Wno-heddle"})).empty());
  EXPECT_TRUE(textOf({refusal()}, flagsOf({"-Werror=heddle"}))
                  .starts_with("a.cu:4:16: error: coarsen x=5: does not divide [-Werror=heddle]\n"));
  EXPECT_FALSE(flagsOf({"-Werror=heddle", "-Wno-error=heddle"}).areErrors);
  EXPECT_FALSE(flagsOf({"-Wno-heddle", "-Wheddle"}).isSilent);
  WarningFlags flags;
  EXPECT_FALSE(flags.take("-Wall"));
  EXPECT_FALSE(flags.take("-Werror"));
}
