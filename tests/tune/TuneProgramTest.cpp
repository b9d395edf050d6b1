// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle tune as people use it, on programs that a second suffices for.
#include "TestPaths.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

namespace fs = std::filesystem;
const fs::path heddle = fs::path(HEDDLE_BUILD_DIR) / "heddle";
const fs::path programs = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs";

std::string contentsOf(const fs::path &file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::string> command(const std::vector<std::string> &words) {
  std::vector<std::string> all = {heddle.string()};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

struct TuneProgram : testing::Test {
  TemporaryFolder folder;

  std::string in(const std::string &name) const { return (folder.path() / name).string(); }

  std::vector<std::string> tuneWords(const std::string &program,
                                     const std::vector<std::string> &further) const {
    // On the simulator, also beside a GPU.
    std::vector<std::string> words = {"tune",        (programs / program).string(),
                                      "--compiler",  "clang",
                                      "--cuda-path", "none",
                                      "--device",    "sim",
                                      "--run-limit", "4"};
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }
  ProcessResult tune(const std::string &program, const std::vector<std::string> &further) const {
    return runProcess(command(tuneWords(program, further)));
  }
  json tuneJson(const std::string &program, std::vector<std::string> further) const {
    further.push_back("--json");
    ProcessResult done = tune(program, further);
    EXPECT_EQ(done.exitCode, 0) << done.standardError;
    return json::parse(done.standardOutput, nullptr, false);
  }
  /// Ids of a cache file, each as often as it is there.
  static std::multiset<std::string> idsIn(const fs::path &file) {
    std::multiset<std::string> ids;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
      if (json each = json::parse(line, nullptr, false); each.is_object() && each.contains("result"))
        ids.insert(each["result"]["id"].get<std::string>());
    return ids;
  }
};

TEST_F(TuneProgram, WhatHangsCrashesErrsOrDoesNotCompileIsKeptWithItsReasonAndNeverWins) {
  json report = tuneJson("choices.cu", {"--define", "CHOICE=0|1|2|3|4|5|6", "--no-check", "--whole-program",
                                        "-o", in("out.cu")});
  std::map<std::string, std::string> status, reason;
  for (const json &result : report["results"]) {
    status[result["configuration"]] = result["status"];
    reason[result["configuration"]] = result.value("reason", "");
  }
  EXPECT_EQ(status["baseline"], "measured");
  EXPECT_EQ(status["-DCHOICE=0"], "measured");
  EXPECT_EQ(status["-DCHOICE=1"], "timed out") << reason["-DCHOICE=1"];
  EXPECT_EQ(status["-DCHOICE=2"], "crashed") << reason["-DCHOICE=2"];
  EXPECT_EQ(status["-DCHOICE=3"], "wrong") << reason["-DCHOICE=3"];
  EXPECT_EQ(status["-DCHOICE=4"], "does not compile") << reason["-DCHOICE=4"];
  EXPECT_EQ(status["-DCHOICE=5"], "crashed") << reason["-DCHOICE=5"];
  EXPECT_EQ(status["-DCHOICE=6"], "crashed") << reason["-DCHOICE=6"];
  EXPECT_THAT(reason["-DCHOICE=1"], HasSubstr("longer than 4 s"));
  EXPECT_THAT(reason["-DCHOICE=2"], HasSubstr("signal 6"));
  EXPECT_THAT(reason["-DCHOICE=3"], HasSubstr("element 77 is 192.5, the original's is 154"));
  EXPECT_THAT(reason["-DCHOICE=4"], HasSubstr("this choice does not compile"));
  EXPECT_THAT(reason["-DCHOICE=5"], HasSubstr("exit code 3, the baseline's is 0"));
  EXPECT_EQ(report["best"], "baseline") << "an equal is not faster";
  EXPECT_TRUE(report["predicted"]);
}

TEST_F(TuneProgram, AToleranceMakesNothingWrongThatWouldBeRightWithoutOne) {
  // Bits differ by more than the tolerance, but only for what the compiler fused.
  json report =
      tuneJson("fused.cu", {"--define", "APART=0|1", "--no-check", "--tol", "abs=1e-30", "--whole-program"});
  ASSERT_EQ(report["results"].size(), 3u);
  EXPECT_EQ(report["results"][2]["status"], "measured") << report["results"][2].dump(1);
}

TEST_F(TuneProgram, TheOutputIsTheBaselineWithTheWinnersPragmasAndNothingElse) {
  json report = tuneJson("blocks.cu",
                         {"-d", "coarsen x=2|4 map=blocked", "--whole-program", "-o", in("out.cu"),
                          "--report", in("out.html"), "--t4", in("out.t4.json"), "--t1", in("out.t1.json")});
  ASSERT_EQ(report["results"].size(), 3u) << report.dump(1);
  for (const json &result : report["results"])
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
  std::istringstream lines(contentsOf(in("out.cu")));
  std::string rest;
  size_t pragmas = 0;
  for (std::string line; std::getline(lines, line);)
    if (line == "#pragma heddle " + report["best"].get<std::string>())
      ++pragmas;
    else
      rest += line + "\n";
  EXPECT_EQ(rest, contentsOf(programs / "blocks.cu"));
  EXPECT_THAT(contentsOf(in("out.html")), HasSubstr("coarsen x=4 map=blocked"));
  EXPECT_EQ(json::parse(contentsOf(in("out.t4.json")))["results"].size(), 3u);
  EXPECT_TRUE(json::parse(contentsOf(in("out.t1.json"))).contains("KernelSpecification"));
  EXPECT_EQ(pragmas, report["best"] == "baseline" ? 0u : 2u) << "one for each kernel";
}

TEST_F(TuneProgram, AppliedOutputHasNoPragmasLeft) {
  json report = tuneJson(
      "blocks.cu", {"-d", "coarsen x=2|4 map=blocked", "--whole-program", "-o", in("out.cu"), "--apply"});
  const std::string text = contentsOf(in("out.cu")), best = report["best"].get<std::string>();
  EXPECT_THAT(text, Not(HasSubstr("#pragma heddle")));
  if (best == "baseline")
    EXPECT_EQ(text, contentsOf(programs / "blocks.cu"));
  else
    EXPECT_THAT(text, HasSubstr("// heddle tune: heddle opt blocks.cu -d \"" + best + "\""));
}

TEST_F(TuneProgram, ItSaysOnceThatTheBaselineFailsTheStaticCheck) {
  ProcessResult done = tune("racy.cu", {"--define", "CHOICE=0|1", "--json"});
  ASSERT_EQ(done.exitCode, 0) << done.standardError;
  json report = json::parse(done.standardOutput, nullptr, false);
  ASSERT_EQ(report["results"].size(), 3u);
  for (const json &result : report["results"])
    EXPECT_EQ(result["status"], "measured")
        << "no candidate need meet more than the baseline: " << result.dump(1);
  const std::string warning = report.value("warning", "");
  EXPECT_THAT(warning, testing::MatchesRegex("the baseline fails the static check: racy.cu:[0-9]+: .*; "
                                             "candidates are compared only by running them, not statically"));
  EXPECT_EQ(done.standardError, "heddle: " + warning + "\n");
  // A plan of it says so too, and --collect knows it from there.
  ProcessResult planned = tune("racy.cu", {"--define", "CHOICE=0|1", "--plan", in("plan")});
  EXPECT_EQ(planned.standardError, done.standardError);
  EXPECT_THAT(contentsOf(in("plan") + "/plan.json"), HasSubstr("\"fails_check\""));
  EXPECT_EQ(tune("blocks.cu", {"-d", "coarsen x=1", "-k", "fill", "--budget", "1"}).standardError, "");
}

TEST_F(TuneProgram, AFileWithPragmasIsTunedAsIfTheyWereNotThere) {
  std::string text = contentsOf(programs / "blocks.cu");
  text.insert(text.find("__global__"), "#pragma heddle coarsen x=2\n");
  std::ofstream(in("marked.cu")) << text;
  json report = tuneJson(in("marked.cu"), {"-d", "coarsen x=1|2", "-k", "fill"});
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_NE(report["results"][0]["kernels"][0]["block"], report["results"][1]["kernels"][0]["block"])
      << "the baseline is not coarsened";
}

TEST_F(TuneProgram, ASmallProblemRepresentsALargeOne) {
  const std::string saxpy = (fs::path(HEDDLE_SOURCE_DIR) / "examples" / "saxpy.cu").string();
  auto predicted = [&](const std::vector<std::string> &further) {
    std::vector<std::string> words = {"-d", "coarsen x=1|2", "--no-check", "--json"};
    words.insert(words.end(), further.begin(), further.end());
    return json::parse(tune(saxpy, words).standardOutput, nullptr, false);
  };
  json alone = predicted({"--", "4096"}), scaled = predicted({"--small", "4096", "--", "8388608"});
  EXPECT_EQ(scaled["device"], "sm_90 (model, one launch of saxpy, from 4096)");
  ASSERT_EQ(scaled["results"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scaled["results"][i]["status"], "measured") << scaled.dump(1);
    EXPECT_GT(scaled["results"][i]["micros"], 5 * alone["results"][i]["micros"].get<double>());
  }
}

TEST_F(TuneProgram, CandidatesThatOnlyTheAssemblerDistinguishesAreRunOnce) {
  json report = tuneJson("blocks.cu", {"-d", "coarsen x=1|2", "--flag", "-maxrregcount=32|"});
  ASSERT_EQ(report["results"].size(), 4u);
  unsigned runs = 0;
  for (const json &result : report["results"]) {
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    runs += result["run_seconds"].get<double>() > 0;
  }
  EXPECT_EQ(runs, 2u) << report.dump(1);
}

TEST_F(TuneProgram, SpacesThatMeanNothingAreBadUsage) {
  EXPECT_EQ(tune("blocks.cu", {"-d", "coarsn x=2"}).exitCode, 2);
  EXPECT_EQ(tune("blocks.cu", {}).exitCode, 2);
  EXPECT_EQ(tune("blocks.cu", {"-d", "coarsen x=2", "--budget", "soon"}).exitCode, 2);
  EXPECT_EQ(tune("nothing.cu", {"-d", "coarsen x=2"}).exitCode, 2);
  // A file that is no log of a search was read and does not parse.
  EXPECT_EQ(
      tune("blocks.cu", {"-d", "coarsen x=2", "--simulate", (programs / "blocks.cu").string()}).exitCode, 3);
}

TEST_F(TuneProgram, AKernelThatIsNotThereIsBadUsageAndTheNearestIsSuggested) {
  for (const char *directive : {"coarsen x=1|2", "auto"}) {
    ProcessResult done = tune("blocks.cu", {"-d", directive, "-k", "fil", "-o", in("out.cu")});
    EXPECT_EQ(done.exitCode, 2);
    EXPECT_THAT(done.standardError, HasSubstr("there is no kernel 'fil' in "));
    EXPECT_THAT(done.standardError, HasSubstr("did you mean 'fill'? There are fill and add"));
    EXPECT_FALSE(fs::exists(in("out.cu")));
  }
}

TEST_F(TuneProgram, AKernelMayBeCalledByAnyOfItsNames) {
  for (const char *name : {"fill", "_Z4fillPfi", "fill(float*, int)"}) {
    json report = tuneJson("blocks.cu", {"-d", "coarsen x=1|2", "-k", name, "--whole-program"});
    ASSERT_EQ(report["results"].size(), 2u) << name;
    EXPECT_EQ(report["results"][1]["status"], "measured") << report.dump(1);
    const json &kernels = report["results"][1]["kernels"];
    EXPECT_NE(kernels[0]["block"], kernels[1]["block"]) << "only one of them is coarsened";
  }
}

TEST_F(TuneProgram, ABaselineThatFailsIsTheWholeAnswer) {
  ProcessResult crashes = tune("choices.cu", {"-DCHOICE=2", "-d", "coarsen x=1|2", "--no-check"});
  EXPECT_EQ(crashes.exitCode, 1);
  EXPECT_THAT(crashes.standardError, HasSubstr("the baseline itself cannot be measured"));
  EXPECT_EQ(tune("choices.cu", {"-DCHOICE=4", "-d", "coarsen x=1|2", "--no-check"}).exitCode, 3);
}

TEST_F(TuneProgram, AutoMakesASpaceOfWhatTheProgramAllows) {
  json report = tuneJson("loops.cu", {"-d", "auto", "--budget", "1"});
  std::set<std::string> words;
  for (const json &dimension : report["dimensions"])
    for (const std::string value : dimension["values"])
      words.insert(value);
  EXPECT_TRUE(words.count("none")) << report["dimensions"];
  EXPECT_FALSE(words.count("specialize by=branch")) << "there is no branch to specialize by";
  EXPECT_EQ(report["results"].size(), 1u) << "the budget is for the baseline alone";
}

TEST_F(TuneProgram, AMechanismIsTunedByTheOptionsOfItsKernels) {
  ProcessResult done =
      runProcess(command({"tune", HEDDLE_SOURCE_DIR "/examples/hydrogen", "-k", "viscosity", "--option",
                          "--variant=plain|warps", "--option", "--warps=4", "--compiler", "clang", "--device",
                          "sim", "--fill", "-o", in("kernels"), "--json"}));
  ASSERT_EQ(done.exitCode, 0) << done.standardError;
  json report = json::parse(done.standardOutput, nullptr, false);
  ASSERT_EQ(report["results"].size(), 2u);
  for (const json &result : report["results"])
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
  EXPECT_EQ(report["results"][1]["configuration"], "--variant=warps --warps=4");
  EXPECT_EQ(report["results"][1]["kernels"][0]["block"][0], 128) << "four warps";
  EXPECT_EQ(report["results"][0]["kernels"][0]["grid"][0], 8) << "2048 points";
  EXPECT_TRUE(fs::exists(fs::path(in("kernels")) / "selftest.cu")) << "the winner's folder";
  EXPECT_EQ(
      runProcess(command({"tune", HEDDLE_SOURCE_DIR "/examples/hydrogen", "-d", "coarsen x=2"})).exitCode, 2);
}

/// A search that is killed in the middle, and goes on.
TEST_F(TuneProgram, AfterKill9NothingIsLostAndNothingIsMeasuredTwice) {
  const std::vector<std::string> words = tuneWords(
      "choices.cu", {"--define", "N=1|2|3|4", "--no-check", "--cache", in("cache.jsonl"), "--json"});
  const fs::path cache = in("cache.jsonl");
  pid_t child = fork();
  if (child == 0) {
    std::vector<std::string> all = command(words);
    std::vector<char *> pointers;
    for (std::string &word : all)
      pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  for (int i = 0; i < 2400 && idsIn(cache).size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGKILL);
  int ignored = 0;
  waitpid(child, &ignored, 0);
  const size_t before = idsIn(cache).size();
  ASSERT_GE(before, 2u);
  std::ofstream(cache, std::ios::app) << R"({"configuration":"-DN=4","result":{"id":"torn)";

  ProcessResult resumed = runProcess(command(words));
  ASSERT_EQ(resumed.exitCode, 0) << resumed.standardError;
  json report = json::parse(resumed.standardOutput, nullptr, false);
  EXPECT_EQ(report["results"].size(), 5u);
  EXPECT_GE(report["from_cache"].get<size_t>(), before);
  std::multiset<std::string> ids = idsIn(cache);
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 5u);

  // And a strategy can be evaluated by what was stored, with nothing run.
  json simulated = tuneJson("choices.cu", {"--define", "N=1|2|3|4", "--simulate", cache.string(),
                                           "--strategy", "random", "--budget", "3"});
  EXPECT_EQ(simulated["best"], "baseline");
}

} // namespace
