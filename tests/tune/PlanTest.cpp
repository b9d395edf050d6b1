// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Plan.h"

#include "TestPaths.h"
#include "runner/Campaign.h"
#include "runner/Ledger.h"
#include "runner/Manifest.h"
#include "runner/Toolchain.h"
#include "support/CudaToolkit.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "tune/SourceTree.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using runner::Status;
using testing::Contains;
using testing::HasSubstr;

void write(const fs::path &file, const std::string &text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

/// A program with headers beside it, above it and in a folder of -I, and a second file.
class PlanTest : public testing::Test {
protected:
  PlanTest() {
    const fs::path root = user.path();
    write(root / "app/src/main.cu", kMain);
    write(root / "app/src/beside.h", "#include \"../common/above.h\"\n");
    write(root / "app/common/above.h", "#include \"deeper.h\"\n");
    write(root / "app/common/deeper.h", "// nothing more\n");
    write(root / "lib/include/lib/named.h", "#include \"sibling.h\"\n");
    write(root / "lib/include/lib/sibling.h", "#include <vector>\n");
    write(root / "app/src/second.cpp", "#include \"only-second.h\"\n");
    write(root / "app/src/only-second.h", "\n");
    problem.file = root / "app/src/main.cu";
    problem.text = kMain;
    problem.further = {root / "app/src/second.cpp"};
    problem.flags = {"-O3", "-I" + (root / "lib/include").string(), "-DN=4"};
    problem.arguments = {"100"};
  }

  Made made(const Configuration &configuration, const std::string &text) {
    Candidate candidate;
    candidate.id = problem.idOf(configuration);
    candidate.configuration = configuration;
    candidate.files = {{"main.cu", text}};
    candidate.flags = configuration.compilerFlags();
    candidate.digest = digestOf({text, configuration.str()});
    return {candidate, Status::Measured, "", 0};
  }
  static Configuration withFlag(const std::string &flag) {
    Configuration configuration;
    configuration.flags = {flag};
    return configuration;
  }

  static constexpr const char *kMain = "#include \"beside.h\"\n  #  include <lib/named.h>\nint main() {}\n";
  TemporaryFolder user, there;
  Problem problem;
};

TEST_F(PlanTest, CarriesEverythingThatTheProgramIncludes) {
  Plan plan(problem, there.path());
  plan.add({}, made({}, kMain));
  ASSERT_EQ(plan.write(), "");
  std::string error;
  auto manifest = runner::readManifest(there.path() / "manifest.json", error);
  ASSERT_TRUE(manifest) << error;
  EXPECT_THAT(manifest->flags, Contains("-O3"));
  EXPECT_THAT(manifest->flags, Contains("-DN=4"));
  EXPECT_EQ(manifest->arguments, problem.arguments);
  ASSERT_EQ(manifest->candidates.size(), 1u);
  EXPECT_EQ(manifest->candidates[0].configuration, "baseline");
  ASSERT_EQ(manifest->candidates[0].files.size(), 2u);
  EXPECT_TRUE(fs::exists(there.path() / "timing/Recorder.cpp"));
  EXPECT_TRUE(fs::exists(there.path() / "timing/trace/preload/Hooks.cpp"));
  EXPECT_TRUE(fs::exists(there.path() / "runtime/heddle/delegate.cuh"));
  // Somewhere else, and where the user's own files are out of reach, it still compiles.
  TemporaryFolder elsewhere;
  fs::copy(there.path(), elsewhere.path() / "plan", fs::copy_options::recursive);
  for (const std::string &file : manifest->candidates[0].files) {
    std::vector<std::string> command = {"sh", "-c",
                                        "cd \"$0\" && exec clang++-22 -x c++ -fsyntax-only \"$@\"",
                                        (elsewhere.path() / "plan").string()};
    for (const std::string &flag : manifest->flags) {
      EXPECT_THAT(flag, testing::Not(HasSubstr(user.path().string())));
      command.push_back(flag);
    }
    command.push_back(file);
    ProcessResult result = runProcess(command);
    EXPECT_TRUE(result.succeeded()) << result.standardError;
  }
}

TEST_F(PlanTest, CarriesATimingLibraryThatCompilesByItself) {
  if (!findNvcc())
    GTEST_SKIP() << "no nvcc here";
  Plan plan(problem, there.path());
  plan.add({}, made({}, kMain));
  ASSERT_EQ(plan.write(), "");
  std::string error;
  std::vector<std::string> words = runner::timingWords(there.path(), there.path() / "timing.so", error);
  std::ranges::replace(words, "-O2", "-O0"); // it is only compiled
  ProcessResult result = runProcess(words);
  EXPECT_EQ(error, "");
  EXPECT_TRUE(result.succeeded()) << result.standardError;
}

TEST_F(PlanTest, CarriesTheToleranceWhereThereIsOne) {
  auto toleranceOf = [&](const Problem &meant) {
    Plan plan(meant, there.path());
    plan.add({}, made({}, kMain));
    EXPECT_EQ(plan.write(), "");
    std::string error;
    auto manifest = runner::readManifest(there.path() / "manifest.json", error);
    return manifest ? verify::textOf(manifest->tolerance) : error;
  };
  EXPECT_EQ(toleranceOf(problem), "");
  Problem loose, exact;
  loose.file = exact.file = problem.file;
  loose.text = exact.text = problem.text;
  loose.tolerance.ulps = 4;
  EXPECT_EQ(toleranceOf(loose), "ulp=4");
  // Results of the one are none of the other.
  std::string error;
  EXPECT_FALSE(collect(there.path(), exact, error));
  EXPECT_THAT(error, HasSubstr("tolerance"));
}

TEST_F(PlanTest, LeavesTheSameProgramAndWhatWasRefusedToItself) {
  Plan plan(problem, there.path());
  Made baseline = made({}, kMain), same = baseline;
  plan.add({}, baseline);
  plan.add(withFlag("-same"), same);
  plan.add(withFlag("-refused"), {std::nullopt, Status::Refused, "no barrier may diverge", 0});
  plan.add(withFlag("-other"), made(withFlag("-other"), kMain));
  EXPECT_EQ(plan.size(), 2u);
  ASSERT_EQ(plan.write(), "");

  std::string error;
  auto before = collect(there.path(), problem, error);
  ASSERT_TRUE(before) << error;
  EXPECT_EQ(before->missing, 3u);
  EXPECT_EQ(before->byId.at(problem.idOf(withFlag("-refused"))).result.reason, "no barrier may diverge");

  auto ledger = runner::Ledger::open(there.path() / "results.jsonl", error);
  runner::Result result;
  result.id = problem.idOf({});
  result.status = Status::Measured;
  result.micros = 12;
  result.device = "a GPU";
  ledger->append(result);
  auto after = collect(there.path(), problem, error);
  ASSERT_TRUE(after) << error;
  EXPECT_EQ(after->missing, 1u);
  EXPECT_EQ(after->device, "a GPU");
  const Kept &twin = after->byId.at(problem.idOf(withFlag("-same")));
  EXPECT_EQ(twin.result.micros, 12);
  EXPECT_EQ(twin.result.id, problem.idOf(withFlag("-same")));
  EXPECT_EQ(twin.sameAs, problem.idOf({}));
}

TEST_F(PlanTest, HeadersOfACandidateLieBesideItAndAreNotCompiled) {
  Plan plan(problem, there.path());
  Made generated = made({}, kMain);
  generated.candidate->files.push_back({"constants.h", "constexpr int answer = 42;\n", false});
  plan.add({}, generated);
  ASSERT_EQ(plan.write(), "");
  std::string error;
  auto manifest = runner::readManifest(there.path() / "manifest.json", error);
  ASSERT_TRUE(manifest) << error;
  const runner::Candidate &candidate = manifest->candidates[0];
  EXPECT_THAT(candidate.files, testing::Not(Contains(HasSubstr("constants.h"))));
  EXPECT_TRUE(fs::exists(there.path() / "candidates" / candidate.id / "constants.h"));
}

TEST_F(PlanTest, IsNotCollectedForAnotherProgram) {
  Plan plan(problem, there.path());
  plan.add({}, made({}, kMain));
  ASSERT_EQ(plan.write(), "");
  Problem other = problem;
  other.arguments = {"200"};
  Problem fresh;
  fresh.file = other.file;
  fresh.text = other.text;
  fresh.further = other.further;
  fresh.flags = other.flags;
  fresh.arguments = other.arguments;
  std::string error;
  EXPECT_FALSE(collect(there.path(), fresh, error));
  EXPECT_THAT(error, HasSubstr("another program"));
  EXPECT_FALSE(collect("/nowhere", problem, error));
  EXPECT_THAT(error, HasSubstr("heddle tune --plan"));
}

TEST_F(PlanTest, IsMeasuredByTheRunnerAndComesBack) {
  // Shell scripts in the place of programs, as in tests/runner: "compiled" by cp.
  auto script = [](const std::string &micros, const std::string &bits) {
    return "#!/bin/sh\ncat > $HEDDLE_TIMING <<END\n{\"device\":\"a script\",\"copies\":[[4,\"" + bits +
           "\"]],\"kernels\":[{\"kernel\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"launches\":1,\"micros\":"
           "[" +
           micros + "]}],\"replayed\":true}\nEND\n";
  };
  problem.further.clear();
  Plan plan(problem, there.path());
  plan.add({}, made({}, script("9", "aa")));
  plan.add(withFlag("-fast"), made(withFlag("-fast"), script("3", "aa")));
  plan.add(withFlag("-wrong"), made(withFlag("-wrong"), script("1", "bb")));
  ASSERT_EQ(plan.write(), "");
  write(there.path() / "cc", "#!/bin/sh\ncp $1 $2 && chmod +x $2\n");
  fs::permissions(there.path() / "cc", fs::perms::owner_all);
  runner::CampaignOptions options;
  options.folder = there.path();
  options.toolchain = {"./cc {files} {out}", "none", ""};
  EXPECT_EQ(runner::runCampaign(options, [](const runner::Progress &) {}).error, "");
  std::string error;
  auto collected = collect(there.path(), problem, error);
  ASSERT_TRUE(collected) << error;
  EXPECT_EQ(collected->missing, 0u);
  EXPECT_EQ(collected->byId.at(problem.idOf(withFlag("-fast"))).result.micros, 3);
  EXPECT_EQ(collected->byId.at(problem.idOf(withFlag("-wrong"))).result.status, Status::Wrong);
  EXPECT_EQ(collected->byId.at(problem.idOf(withFlag("-fast"))).configuration, "-fast");

  Diagnostics diagnostics;
  auto space = Space::read({.flags = {"-fast|-slow|"}}, diagnostics);
  ASSERT_TRUE(space);
  auto cache = Cache::open(there.path() / "cache", problem, error);
  ASSERT_TRUE(cache) << error;
  EXPECT_EQ(takeOver(*collected, *space, problem, *cache),
            2u); // the baseline, and the one that the space has too
  EXPECT_EQ(takeOver(*collected, *space, problem, *cache), 0u);
  const Kept *kept = cache->find(problem.idOf(withFlag("-fast")), false, "a script");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->result.micros, 3);
}

} // namespace
} // namespace heddle::tune
