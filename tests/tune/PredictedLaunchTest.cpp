// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device sim` from end to end: one launch is captured and replayed on the simulator, and the model predicts its time.
#include "TestPaths.h"
#include "support/ClangProgram.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace heddle::tune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct PredictedLaunch : testing::Test {
  TemporaryFolder folder;
  const fs::path programs = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs";
  std::string said;                     ///< on standard error
  std::vector<std::string> environment; ///< of heddle

  std::string in(const std::string &name) const { return (folder.path() / name).string(); }

  json tune(const std::string &program, const std::vector<std::string> &further) {
    std::vector<std::string> words = {(fs::path(HEDDLE_BUILD_DIR) / "heddle").string(),
                                      "tune",
                                      (programs / program).string(),
                                      "--device",
                                      "sim",
                                      "--compiler",
                                      "clang",
                                      "--cuda-path",
                                      "none",
                                      "--run-limit",
                                      "8",
                                      "--json"};
    words.insert(words.end(), further.begin(), further.end());
    const ProcessResult done = runProcess(words, environment);
    EXPECT_EQ(done.exitCode, 0) << done.standardError;
    said = done.standardError;
    return json::parse(done.standardOutput, nullptr, false);
  }
};

TEST_F(PredictedLaunch, ItIsPredictedAsInTheWholeProgram) {
  const std::vector<std::string> words = {"-k", "add", "-d", "coarsen x=1|2|4"};
  std::vector<std::string> whole = words;
  whole.push_back("--whole-program");
  const json one = tune("blocks.cu", words), all = tune("blocks.cu", whole);
  EXPECT_EQ(said, "");
  EXPECT_EQ(one["device"], "sm_90 (model, one launch of add)");
  EXPECT_EQ(all["device"], "sm_90 (model)");
  EXPECT_TRUE(one["predicted"]);
  ASSERT_EQ(one["results"].size(), 3u) << one.dump(1);
  ASSERT_EQ(all["results"].size(), 3u) << all.dump(1);
  for (size_t i = 0; i < 3; ++i) {
    const json &result = one["results"][i];
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    EXPECT_TRUE(result["predicted"]);
    EXPECT_EQ(result["configuration"], all["results"][i]["configuration"]);
    ASSERT_EQ(result["kernels"].size(), 1u);
    for (const json &kernel : all["results"][i]["kernels"])
      if (kernel["kernel"] == result["kernels"][0]["kernel"]) {
        EXPECT_EQ(result["kernels"][0]["block"], kernel["block"]);
        EXPECT_DOUBLE_EQ(result["micros"], kernel["micros"]) << "the same counts, and the same model";
      }
    EXPECT_LT(result["micros"], all["results"][i]["micros"]) << "the program launches another kernel, too";
  }
}

/// Launches of different sizes, each filled by its own factor.
TEST_F(PredictedLaunch, ALaunchIsFilledAsInTheWholeProgram) {
  const std::vector<std::string> words = {"-k", "add", "-d", "coarsen x=1|2", "--fill"};
  std::vector<std::string> whole = words;
  whole.push_back("--whole-program");
  const json one = tune("three.cu", words), all = tune("three.cu", whole);
  ASSERT_EQ(one["results"].size(), 2u) << one.dump(1);
  ASSERT_EQ(all["results"].size(), 2u) << all.dump(1);
  for (size_t i = 0; i < 2; ++i)
    for (const json &kernel : all["results"][i]["kernels"])
      if (kernel["kernel"] == one["results"][i]["kernels"][0]["kernel"])
        EXPECT_DOUBLE_EQ(one["results"][i]["micros"], kernel["micros"]) << "the same counts, scale and model";
  EXPECT_LT(one["results"][0]["micros"], all["results"][0]["micros"]) << "the program has other kernels, too";
  if (one["best"] != "baseline") // the whole program is predicted for a winner only
    EXPECT_DOUBLE_EQ(one["whole_program"]["baseline_micros"], all["results"][0]["micros"]);
}

TEST_F(PredictedLaunch, CandidatesThatHangTrapErrOrWriteElsewhereNeverWin) {
  const json report = tune("faults.cu", {"-DCOUNT=1000", "--define", "CHOICE=1|2|3|4|5|6|7|9", "--no-check",
                                         "--strategy", "exhaustive"});
  std::map<std::string, std::string> status, reason;
  for (const json &result : report["results"]) {
    status[result["configuration"]] = result["status"];
    reason[result["configuration"]] = result.value("reason", "");
  }
  EXPECT_EQ(report["device"], "sm_90 (model, one launch of work)");
  EXPECT_EQ(status["-DCHOICE=1"], "timed out") << reason["-DCHOICE=1"];
  EXPECT_EQ(status["-DCHOICE=2"], "crashed") << reason["-DCHOICE=2"];
  EXPECT_EQ(status["-DCHOICE=3"], "crashed") << reason["-DCHOICE=3"];
  EXPECT_EQ(status["-DCHOICE=4"], "crashed");
  EXPECT_THAT(reason["-DCHOICE=4"], HasSubstr("the kernel writes outside of all captured memory"));
  EXPECT_EQ(status["-DCHOICE=5"], "wrong") << reason["-DCHOICE=5"];
  EXPECT_EQ(status["-DCHOICE=6"], "wrong") << reason["-DCHOICE=6"];
  EXPECT_EQ(status["-DCHOICE=7"], "measured") << reason["-DCHOICE=7"];
  EXPECT_THAT(reason["-DCHOICE=7"], HasSubstr("memory that it does not read differs"));
  EXPECT_EQ(status["-DCHOICE=9"], "measured") << reason["-DCHOICE=9"];
  EXPECT_NE(report["best"], "baseline") << report.dump(1);
  EXPECT_LT(report["whole_program"]["micros"], report["whole_program"]["baseline_micros"])
      << "the winner was run in the whole program";
}

TEST_F(PredictedLaunch, OtherBitsOfAFasterCandidateAreComparedWithoutFusedMultiplications) {
  // The candidate differs by what the compiler fuses alone.
  const json report = tune("fused.cu", {"-DAPART=1", "--define", "APART=0|2", "--no-check"});
  ASSERT_EQ(report["results"].size(), 3u) << report.dump(1);
  EXPECT_EQ(report["results"][1]["status"], "measured") << report["results"][1].dump(1);
  EXPECT_THAT(report["results"][1].value("reason", ""),
              HasSubstr("not bit-identical: other multiply-adds are fused"));
  EXPECT_EQ(report["best"], "-DAPART=0");
}

TEST_F(PredictedLaunch, KernelsArePredictedEachByItself) {
  const std::vector<std::string> words = {"-d", "coarsen x=1|2", "-o", in("out.cu")};
  const json first = tune("three.cu", words);
  EXPECT_THAT(said, HasSubstr("note: add takes "));
  EXPECT_THAT(said, HasSubstr("% of the predicted time of all launches and is tuned first, then fill ("));
  ASSERT_EQ(first["kernels"].size(), 3u) << first.dump(1);
  EXPECT_EQ(first["kernels"][1]["name"], "fill");
  EXPECT_EQ(first["results"][1]["configuration"], "add: coarsen x=2");
  EXPECT_EQ(tune("three.cu", words)["from_cache"], 2);
}

TEST_F(PredictedLaunch, WhereNoLaunchCanBeCapturedTheWholeProgramIsRun) {
  writeFileOrThrow(in("graph.cu"), R"(
__global__ void fill(float *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  float *values, host[256];
  cudaMalloc(&values, sizeof host);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<2, 128, 0, stream>>>(values);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  return cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess || host[255] != 1;
}
)");
  const json report = tune(in("graph.cu"), {"-d", "coarsen x=1|2"});
  EXPECT_THAT(
      said,
      HasSubstr(
          "note: each candidate is run in the whole program: no launch was seen that could be captured"));
  EXPECT_EQ(report["device"], "sm_90 (model)");
  EXPECT_EQ(report["results"].size(), 2u) << report.dump(1);
}

TEST_F(PredictedLaunch, ASecondSearchCompilesNothing) {
  const std::optional<fs::path> clang = findClang();
  ASSERT_TRUE(clang) << "programs for the simulator are compiled by it";
  // Before the Clang on the PATH, one that counts.
  const fs::path counting = folder.path() / "bin" / "clang++-22";
  fs::create_directory(counting.parent_path());
  writeFileOrThrow(counting, "#!/bin/sh\ncase \" $* \" in *' -x cuda '*) echo \"$*\" >> '" + in("compiled") +
                                 "' ;; esac\nexec '" + clang->string() + "' \"$@\"\n");
  fs::permissions(counting, fs::perms::owner_all);
  environment = {"PATH=" + counting.parent_path().string() + ":" + std::getenv("PATH"),
                 "HEDDLE_COMPILE_CACHE=" + in("kept")};
  fs::copy_file(programs / "faults.cu", in("program.cu"));
  auto compiled = [&] {
    fs::remove(in("compiled"));
    const json report = tune(in("program.cu"), {"--define", "CHOICE=7|9", "--no-check"});
    EXPECT_EQ(report["results"].size(), 3u);
    EXPECT_NE(report["best"], "baseline") << "the winner is compiled as a whole program, too";
    const std::string lines = contentsOf(in("compiled"));
    return std::count(lines.begin(), lines.end(), '\n');
  };
  const long first = compiled();
  EXPECT_GE(first, 5);
  EXPECT_EQ(compiled(), 0) << contentsOf(in("compiled"));
  writeFileOrThrow(in("program.cu"), contentsOf(in("program.cu")) + "// another text\n");
  EXPECT_GE(compiled(), 5);
}

TEST_F(PredictedLaunch, AProgramThatFailsIsNotTuned) {
  writeFileOrThrow(in("fails.cu"), R"(
__global__ void fill(float *values) { values[threadIdx.x] = 1; }
int main() {
  float *values;
  cudaMalloc(&values, 128);
  fill<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  return 3;
}
)");
  const ProcessResult done =
      runProcess({(fs::path(HEDDLE_BUILD_DIR) / "heddle").string(), "tune", in("fails.cu"), "-d",
                  "coarsen x=1|2", "--device", "sim", "--compiler", "clang", "--cuda-path", "none"});
  EXPECT_EQ(done.exitCode, 1);
  EXPECT_THAT(done.standardError, HasSubstr("the baseline itself cannot be measured: exit code 3"));
  EXPECT_THAT(done.standardError, Not(HasSubstr("note:")));
}

} // namespace
} // namespace heddle::tune
