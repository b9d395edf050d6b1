// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that times launches, on programs that run on the simulator in the place of a GPU. Times are
// those of the simulator and mean nothing here; what is seen, and that replays find the memory they need,
// does.
#include "Plan.h"
#include "TestPaths.h"
#include "build/Build.h"
#include "runner/CandidateRuns.h"
#include "support/CudaToolkit.h"
#include "support/Preload.h"

#include <gmock/gmock.h>

namespace fs = std::filesystem;

namespace heddle::runner {
namespace {

using testing::HasSubstr;

const fs::path kTimingLibrary = fs::path(HEDDLE_BUILD_DIR) / "lib/libheddle_timing.so";

/// tests/runner/programs/NAME.cu, compiled once for this process.
fs::path programNamed(const std::string &name, build::Compiler compiler = build::Compiler::Clang,
                      const std::string &source = "", const std::vector<std::string> &flags = {}) {
  static Plan folder;
  fs::path output = folder.folder / name;
  if (fs::exists(output))
    return output;
  build::Request request;
  request.sources.files = {fs::path(HEDDLE_SOURCE_DIR) / "tests/runner/programs" /
                           ((source.empty() ? name : source) + ".cu")};
  request.sources.flags = flags;
  request.compiler = compiler;
  request.output = output;
  Diagnostics diagnostics;
  build::Result result = build::build(request, diagnostics);
  EXPECT_TRUE(result.ok) << result.messages;
  return output;
}

struct Seen {
  ProcessResult end;
  std::optional<Observation> observation;
};

Seen observe(const std::string &program, const std::vector<std::string> &arguments, int copies = 0) {
  Plan folder;
  const fs::path report = folder.folder / "report";
  std::vector<std::string> words = {programNamed(program).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ProcessRequest command = unattended(words, {}, 100);
  command.environment = {"HEDDLE_TIMING=" + report.string(), "HEDDLE_TIMING_ROUNDS=7",
                         "HEDDLE_TIMING_WARM_UPS=2", "HEDDLE_TIMING_COPIES=" + std::to_string(copies)};
  for (const std::string &variable : preloading(kTimingLibrary))
    command.environment.push_back(variable);
  Seen seen;
  seen.end = runToEnd(command);
  seen.observation = readObservation(report);
  return seen;
}

/// A plan whose candidates are one program on the simulator, with other arguments each.
struct SimulatorPlan : Plan {
  explicit SimulatorPlan(const std::string &name) : program(programNamed(name)) { manifest.rounds = 3; }
  void with(const std::string &id, const std::string &arguments) {
    std::ofstream(folder / (id + ".sh"))
        << "#!/bin/sh\nexec " << program.string() << " " << arguments << "\n";
    fs::permissions(folder / (id + ".sh"), fs::perms::owner_all);
    manifest.candidates.push_back({id, id, {id + ".sh"}, {}, {}});
  }
  CampaignEnd runTimed() {
    CampaignOptions timed = options();
    timed.toolchain.timingLibrary = kTimingLibrary;
    return run(timed);
  }
  fs::path program;
};

TEST(Timing, MakesLaunchesAgainOnTheMemoryThatTheySawFirst) {
  // On what they left behind, the first kernel would have nothing to do and the second would trap. The memory
  // is freed when they are made again.
  Seen seen = observe("accumulate", {});
  ASSERT_TRUE(seen.observation) << seen.end.standardOutput;
  EXPECT_EQ(seen.end.exitCode, 0) << seen.end.standardOutput;
  EXPECT_EQ(seen.observation->error, "");
  EXPECT_TRUE(seen.observation->replayed);
  ASSERT_EQ(seen.observation->kernels.size(), 2u);
  for (const KernelTime &time : seen.observation->kernels) {
    EXPECT_EQ(time.launches, 1u);
    EXPECT_EQ(time.samples, 7u) << time.kernel;
    EXPECT_GT(time.micros, 0) << time.kernel;
    EXPECT_GT(time.registers, 0u);
    EXPECT_GT(time.occupancy, 0);
  }
  EXPECT_EQ(seen.observation->kernels[0].kernel, "_Z10accumulatePfi");
  EXPECT_EQ(seen.observation->kernels[0].grid[0], 4u);
  EXPECT_EQ(seen.observation->kernels[1].block[0], 32u);
  EXPECT_EQ(seen.observation->copies.size(), 1u);
}

TEST(Timing, IsThereHoweverTheProgramEnds) {
  for (const char *end : {"exit", "_exit", "reset"}) {
    Seen seen = observe("accumulate", {end});
    ASSERT_TRUE(seen.observation) << end;
    EXPECT_EQ(seen.end.exitCode, 0) << end;
    EXPECT_TRUE(seen.observation->replayed) << end;
    EXPECT_EQ(seen.observation->kernels.at(1).samples, 7u) << end;
  }
}

TEST(Timing, EndsTheProgramAfterTheComparedCopies) {
  EXPECT_EQ(observe("accumulate", {"fail"}).end.exitCode, 5);
  Seen seen = observe("accumulate", {"fail"}, 1);
  EXPECT_EQ(seen.end.exitCode, 0);
  ASSERT_TRUE(seen.observation);
  EXPECT_TRUE(seen.observation->replayed);
  EXPECT_EQ(seen.observation->kernels.size(), 2u);
}

TEST(Timing, TakesTheProgramsOwnLaunchesWhereTheyAreMany) {
  Seen seen = observe("ways", {"often"});
  ASSERT_TRUE(seen.observation) << seen.end.standardOutput;
  EXPECT_EQ(seen.observation->kernels.at(0).launches, 50u);
  EXPECT_EQ(seen.observation->kernels.at(0).samples, 50u);
}

TEST(Timing, SeesEveryWayOfLaunching) {
  for (const char *way : {"stream", "cooperative", "extended", "managed", "graph"}) {
    Seen seen = observe("ways", {way});
    ASSERT_TRUE(seen.observation) << way << seen.end.standardOutput;
    EXPECT_EQ(seen.observation->error, "") << way;
    ASSERT_EQ(seen.observation->kernels.size(), 1u) << way;
    EXPECT_EQ(seen.observation->kernels[0].kernel, "_Z4fillPii") << way;
    EXPECT_EQ(seen.observation->kernels[0].samples, 7u) << way;
    ASSERT_EQ(seen.observation->copies.size(), 1u) << way;
    EXPECT_EQ(seen.observation->copies[0].bytes, 128u) << way;
  }
  EXPECT_EQ(observe("ways", {"stream"}).observation->kernels[0].sharedBytes, 128u);
  EXPECT_EQ(observe("ways", {"graph"}).observation->kernels[0].launches, 3u);
}

TEST(Timing, ALaunchThatTheRuntimeRefusesIsNotTakenForOneOfAGraph) {
  Seen seen = observe("ways", {"gone-stream"});
  ASSERT_TRUE(seen.observation) << seen.end.standardOutput;
  ASSERT_EQ(seen.observation->kernels.size(), 1u);
  EXPECT_EQ(seen.observation->kernels[0].launches, 2u);
  EXPECT_THAT(seen.observation->error, HasSubstr("launch of _Z4fillPii"));
}

TEST(Timing, SeesTheCallsOfProgramsWithADefaultStreamPerThread) {
  if (!findNvcc())
    GTEST_SKIP() << "no nvcc here: other headers have no such variants";
  programNamed("ways-per-thread", build::Compiler::Nvcc, "ways", {"-default-stream=per-thread"});
  for (const char *way : {"stream", "cooperative", "extended", "managed", "graph", "often"}) {
    Seen seen = observe("ways-per-thread", {way});
    ASSERT_TRUE(seen.observation) << way << seen.end.standardOutput;
    EXPECT_EQ(seen.observation->error, "") << way;
    ASSERT_EQ(seen.observation->kernels.size(), 1u) << way;
    EXPECT_EQ(seen.observation->kernels[0].kernel, "_Z4fillPii") << way;
    EXPECT_GE(seen.observation->kernels[0].samples, 7u) << way;
    ASSERT_EQ(seen.observation->copies.size(), 1u) << way;
    EXPECT_EQ(seen.observation->copies[0].bytes, 128u) << way;
  }
}

TEST(Timing, WhatAKernelPrintsIsPrintedOnce) {
  Seen seen = observe("ways", {"prints", "3"});
  ASSERT_TRUE(seen.observation) << seen.end.standardOutput;
  EXPECT_EQ(seen.observation->kernels.at(0).samples, 7u);
  EXPECT_EQ(seen.end.standardOutput, "a kernel says 3\nthe host says 3");
}

TEST(Timing, ACampaignComparesWhatIsReadFromMappedMemoryByWhatIsPrinted) {
  SimulatorPlan plan("ways");
  plan.with("baseline", "mapped 5");
  plan.with("same", "mapped 5");
  plan.with("wrong", "mapped 6");
  CampaignEnd end = plan.runTimed();
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(resultOf(end, "same").status, Status::Measured) << resultOf(end, "same").reason;
  EXPECT_EQ(resultOf(end, "wrong").reason, "line 1 of its output is '6', the original's is '5'");
}

TEST(Timing, SameBitsHaveTheSameHashAndOthersAnother) {
  for (const char *way : {"stream", "managed"}) {
    auto bits = [&](const char *value) {
      return observe("ways", {way, value}).observation->copies.at(0).bits;
    };
    EXPECT_EQ(bits("7"), bits("7")) << way;
    EXPECT_NE(bits("7"), bits("8")) << way;
  }
}

TEST(Timing, AManagedVariableIsComparedToo) {
  if (!findNvcc())
    GTEST_SKIP() << "no nvcc here, and Clang knows no managed variables";
  programNamed("variable", build::Compiler::Nvcc);
  Seen seven = observe("variable", {"7"}), eight = observe("variable", {"8"});
  ASSERT_TRUE(seven.observation && eight.observation) << seven.end.standardOutput;
  EXPECT_EQ(seven.observation->error, "");
  EXPECT_EQ(seven.observation->kernels.at(0).samples, 7u) << "it was set back for each";
  ASSERT_EQ(seven.observation->copies.size(), 1u);
  EXPECT_EQ(seven.observation->copies[0].bytes, 128u);
  EXPECT_NE(seven.observation->copies[0].bits, eight.observation->copies.at(0).bits);
}

TEST(Timing, ReportsAFaultAndALaunchThatCannotBe) {
  Seen fault = observe("ways", {"fault"});
  ASSERT_TRUE(fault.observation) << fault.end.standardOutput;
  EXPECT_THAT(fault.observation->error, HasSubstr("after the launch of _Z5faultPi: "));
  Seen large = observe("ways", {"too-large"});
  ASSERT_TRUE(large.observation) << large.end.standardOutput;
  EXPECT_THAT(large.observation->error, HasSubstr("launch of _Z4fillPii: "));
}

TEST(Timing, SaysNothingOfAProgramThatLaunchesNothing) {
  EXPECT_FALSE(observe("ways", {"nothing"}).observation);
}

TEST(Timing, ACampaignOnTheSimulatorFindsWhatIsWrong) {
  SimulatorPlan plan("ways");
  plan.with("baseline", "stream 5");
  plan.with("same", "extended 5");
  plan.with("wrong", "stream 6");
  plan.with("faults", "fault");
  CampaignEnd end = plan.runTimed();
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(resultOf(end, "same").status, Status::Measured);
  EXPECT_GT(resultOf(end, "same").micros, 0);
  EXPECT_EQ(resultOf(end, "wrong").status, Status::Wrong) << resultOf(end, "wrong").reason;
  EXPECT_EQ(resultOf(end, "faults").status, Status::Crashed) << resultOf(end, "faults").reason;
}

TEST(Timing, BitsThatDifferAreRightWithinTheToleranceAndIntegersMustBeEqual) {
  for (const std::string how : {"", " managed"}) {
    SimulatorPlan plan("scaled");
    plan.manifest.tolerance.relative = 1e-5;
    plan.with("baseline", "1 0" + how);
    plan.with("near", "1.000001 0" + how);
    plan.with("far", "1.001 0" + how);
    plan.with("counts", "1 1" + how);
    CampaignEnd end = plan.runTimed();
    EXPECT_EQ(end.error, "");
    EXPECT_EQ(resultOf(end, "near").status, Status::Measured) << resultOf(end, "near").reason;
    EXPECT_EQ(resultOf(end, "near").reason, "not bit-identical, but within rel=1e-05 of the baseline");
    EXPECT_GT(resultOf(end, "near").micros, 0);
    EXPECT_EQ(resultOf(end, "far").status, Status::Wrong);
    EXPECT_THAT(resultOf(end, "far").reason,
                HasSubstr("element 1 is 1.001, the original's is 1; 31 of 32 differ"));
    EXPECT_EQ(resultOf(end, "counts").status, Status::Wrong);
    EXPECT_THAT(resultOf(end, "counts").reason,
                HasSubstr("element 0 is 1, the original's is 0; 32 of 32 differ"));
    std::vector<std::string> left;
    for (const auto &entry : fs::directory_iterator(plan.folder / "work"))
      left.push_back(entry.path().filename());
    EXPECT_THAT(left, testing::ElementsAre("reference.json")) << "what was written down is gone";
  }
}

TEST(Timing, BitsThatDifferAreWrongWithoutATolerance) {
  SimulatorPlan plan("scaled");
  plan.with("baseline", "1 0");
  plan.with("near", "1.000001 0");
  CampaignEnd end = plan.runTimed();
  EXPECT_EQ(resultOf(end, "near").status, Status::Wrong);
}

} // namespace
} // namespace heddle::runner
