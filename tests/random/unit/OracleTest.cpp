// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle notices what it is there for: other results, text that does not compile, kernels that fail.
#include "random/Oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::generator;

namespace {

Program programOf(const std::string &text) {
  Program program;
  program.kernels = node(Sort::Fixed, text);
  return program;
}

const std::string original = R"(__global__ void kernel(unsigned *out) { out[threadIdx.x] = threadIdx.x * 3u; }
void launch(unsigned *out, const unsigned *) { kernel<<<1, 64>>>(out); }
)";

std::string with(const std::string &what, const std::string &by) {
  std::string text = original;
  return text.replace(text.find(what), what.size(), by);
}

} // namespace

TEST(Oracle, EachProgramOfABatchGetsItsOwnVerdict) {
  const std::vector<std::string> emitted = {
      with("* 3u", "+ threadIdx.x * 2u"),                       // the same
      with("* 3u", "* 4u"),                                     // other results
      with("* 3u", "* three"),                                  // does not compile
      with("out[threadIdx.x]", "*(unsigned *)threadIdx.x"),     // fails when it runs
      with("* 3u", "* 3u; while (out[0] == 0) __nanosleep(1)"), // waits for what never comes
      with("<<<1, 64>>>", "<<<2, 32>>>"),                       // half of the threads
      "#include <heddle/launch.cuh>\n" + original,              // an include of its own
  };
  std::vector<Program> programs(emitted.size(), programOf(original));
  programs[4] = programOf(original);
  std::vector<Verdict> verdicts;
  for (const std::string &text : emitted)
    verdicts.push_back({Verdict::Kind::Same, {}, {}, text});
  verdicts[4].kind = Verdict::Kind::Refused; // refused ones are not run
  execute(programs, verdicts, {});
  EXPECT_EQ(verdicts[0].kind, Verdict::Kind::Same);
  EXPECT_EQ(verdicts[1].why, "differs");
  EXPECT_EQ(verdicts[1].details, "out[1] is 3 and becomes 4");
  EXPECT_EQ(verdicts[2].why, "does not compile");
  EXPECT_THAT(verdicts[2].details, ::testing::HasSubstr("three"));
  EXPECT_EQ(verdicts[3].why, "the result does not run");
  EXPECT_EQ(verdicts[4].kind, Verdict::Kind::Refused);
  EXPECT_EQ(verdicts[5].why, "differs");
  EXPECT_EQ(verdicts[6].kind, Verdict::Kind::Same);
}

TEST(Oracle, ProgramsThatAreNotValidAreNoVerdictOnDirectives) {
  std::vector<Program> programs = {programOf(with("3u", "three")), programOf(original)};
  programs[0].directives = programs[1].directives = {"coarsen x=2"};
  const std::vector<Verdict> verdicts = evaluate(programs, {});
  EXPECT_EQ(verdicts[0].kind, Verdict::Kind::Invalid);
  EXPECT_EQ(verdicts[1].kind, Verdict::Kind::Same) << verdicts[1].why;
}

TEST(Oracle, ARefusalHasItsReason) {
  Program program = programOf(original);
  program.directives = {"coarsen x=7"};
  const Verdict verdict = evaluate({program}, {}).front();
  EXPECT_EQ(verdict.kind, Verdict::Kind::Refused);
  EXPECT_THAT(verdict.why, ::testing::HasSubstr("is not divisible by 7"));
}
