// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plan.h"
#include "runner/Observation.h"

#include <gmock/gmock.h>

namespace heddle::runner {
namespace {

using testing::HasSubstr;

TEST(Result, ComesBackFromItsLine) {
  Result result;
  result.id = "7f";
  result.status = Status::Measured;
  result.micros = 1.0 / 3;
  result.q1 = 0.25;
  result.q3 = 0.5;
  result.predicted = true;
  result.device = "NVIDIA \"H200\"";
  result.makeSeconds = 0.75;
  result.compileSeconds = 2.5;
  result.failsCheck = "line 7: a race";
  result.runSeconds = 0.125;
  result.when = "2026-01-01T00:00:00Z";
  KernelTime time;
  time.kernel = "_Z1kPf";
  time.grid[1] = 7;
  time.block[0] = 256;
  time.launches = 1ull << 40;
  time.micros = 12.5;
  time.samples = 21;
  time.spillBytes = 8;
  time.occupancy = 62.5;
  result.kernels = {time};
  const std::string line = toJson(result);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  std::optional<Result> back = resultFromJson(line);
  ASSERT_TRUE(back);
  EXPECT_EQ(toJson(*back), line);
  EXPECT_EQ(back->micros, 1.0 / 3);
  EXPECT_EQ(back->makeSeconds, 0.75);
  EXPECT_EQ(back->failsCheck, "line 7: a race");
  EXPECT_EQ(back->kernels[0].launches, 1ull << 40);
}

TEST(Result, EveryStatusHasANameThatLeadsBack) {
  for (int i = 0; i <= int(Status::Lost); ++i)
    EXPECT_EQ(statusNamed(nameOf(Status(i))), Status(i));
  EXPECT_FALSE(statusNamed("excellent"));
}

TEST(Result, APieceOfALineIsNone) {
  const std::string line = toJson(Result{"id", Status::Wrong, "why"});
  for (size_t length = 0; length < line.size(); ++length)
    EXPECT_FALSE(resultFromJson(line.substr(0, length))) << line.substr(0, length);
  EXPECT_FALSE(resultFromJson("[1]"));
  EXPECT_FALSE(resultFromJson("{\"id\":7,\"status\":\"lost\"}"));
}

TEST(Result, WordsThatAreNotUtf8DoNotStopIt) {
  Result result{"id", Status::DoesNotCompile, "caf\xe9: error"};
  EXPECT_TRUE(resultFromJson(toJson(result)));
}

TEST(Manifest, ComesBackFromItsFile) {
  Plan plan;
  Manifest manifest;
  manifest.program = "p.cu";
  manifest.arch = "sm_80";
  manifest.flags = {"-O3", "-Iinclude"};
  manifest.arguments = {"--n", "100"};
  manifest.rounds = 5;
  manifest.copies = 3;
  manifest.comparesCopies = false;
  manifest.tolerance = {4, 1e-6, 0};
  manifest.candidates = {{"0", "baseline", {"0.cu"}, {}, {}},
                         {"1", "coarsen x=2", {"1.cu", "h.cpp"}, {"-G"}, 12.5}};
  ASSERT_TRUE(writeManifest(plan.folder / "m.json", manifest));
  std::string error;
  std::optional<Manifest> back = readManifest(plan.folder / "m.json", error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(back->flags, manifest.flags);
  EXPECT_EQ(back->arguments, manifest.arguments);
  EXPECT_EQ(back->arch, "sm_80");
  EXPECT_EQ(back->rounds, 5u);
  EXPECT_EQ(back->copies, 3u);
  EXPECT_FALSE(back->comparesCopies);
  EXPECT_EQ(back->tolerance.ulps, 4u);
  EXPECT_EQ(back->tolerance.relative, 1e-6);
  ASSERT_EQ(back->candidates.size(), 2u);
  EXPECT_EQ(back->candidates[1].files, manifest.candidates[1].files);
  EXPECT_EQ(back->candidates[1].predictedMicros, 12.5);
  EXPECT_FALSE(back->candidates[0].predictedMicros);
}

std::string complaintOn(const std::string &text) {
  Plan plan;
  std::ofstream(plan.folder / "m.json") << text;
  std::string error;
  EXPECT_FALSE(readManifest(plan.folder / "m.json", error));
  return error;
}

TEST(Manifest, SaysWhatIsWrongWithIt) {
  std::string error;
  EXPECT_FALSE(readManifest("/nowhere/manifest.json", error));
  EXPECT_THAT(error, HasSubstr("/nowhere/manifest.json: cannot be read"));
  EXPECT_THAT(complaintOn("{"), HasSubstr("parse error"));
  EXPECT_THAT(complaintOn("{}"), HasSubstr("heddle.plan/2"));
  const std::string head = "{\"schema\":\"heddle.plan/2\",\"candidates\":[";
  const std::string one = "{\"id\":\"a\",\"configuration\":\"\",\"files\":[\"x\"]}";
  EXPECT_THAT(complaintOn(head + "]}"), HasSubstr("no candidates"));
  EXPECT_THAT(complaintOn(head + one + "],\"round\":5}"), HasSubstr("no \"round\" in a manifest"));
  EXPECT_THAT(complaintOn(head + "{\"id\":\"a\",\"flag\":[]}]}"), HasSubstr("no \"flag\" in a candidate"));
  EXPECT_THAT(complaintOn(head + one + "," + one + "]}"), HasSubstr("'a' is there more than once"));
  EXPECT_THAT(complaintOn(head + one + "],\"tolerance\":\"eps=1\"}"), HasSubstr("\"tolerance\" must be"));
  EXPECT_THAT(complaintOn(head + "{\"id\":\"../a\",\"configuration\":\"\",\"files\":[\"x\"]}]}"),
              HasSubstr("'../a'"));
}

TEST(Quantile, LiesBetweenSamplesInProportion) {
  EXPECT_EQ(quantile({3}, 0.25), 3);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile({5, 1, 2, 4, 3}, 0.25), 2);
  EXPECT_EQ(quantile({1, 2}, 1), 2);
}

TEST(Toolchain, ReadsSpillsFromWhatPtxasSays) {
  auto spills = spillsIn("ptxas info    : Compiling entry function '_Z1aPf' for 'sm_90'\n"
                         "ptxas info    : Function properties for _Z1aPf\n"
                         "    24 bytes stack frame, 20 bytes spill stores, 12 bytes spill loads\n"
                         "ptxas info    : Used 32 registers\n"
                         "ptxas info    : Function properties for _Z1bPf\n"
                         "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
  EXPECT_EQ(spills["_Z1aPf"], 32u);
  EXPECT_EQ(spills.at("_Z1bPf"), 0u);
}

TEST(Toolchain, FillsInTheCompileCommandWordByWord) {
  Manifest manifest;
  manifest.arch = "sm_80";
  manifest.flags = {"-I", "a folder"};
  Candidate candidate{"1", "", {"a.cu", "b.cu"}, {"-G"}, {}};
  std::string error;
  EXPECT_THAT(compileWords({"cc {arch} {flags} {files} -o {out}", ""}, manifest, candidate, "/w/x", error),
              testing::ElementsAre("cc", "sm_80", "-I", "a folder", "-G", "a.cu", "b.cu", "-o", "/w/x"));
}

TEST(Toolchain, ShowsTheFirstErrorOfManyLines) {
  EXPECT_EQ(firstErrorIn("a.cu(1): warning: w\na.cu(2): error: e\n1 error detected\n"), "a.cu(2): error: e");
  EXPECT_EQ(firstErrorIn(""), "the compiler failed without a message");
}

} // namespace
} // namespace heddle::runner
