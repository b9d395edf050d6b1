// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device gpu` from end to end, where there need not be a GPU: a driver that only knows a name
// (tests/tune/driver), and Heddle's runtime under the name of the one that nvcc links. Everything between is
// what runs on a GPU: nvcc, the timing library, the comparisons. Times are the simulator's and mean nothing.
#include "TestPaths.h"
#include "support/CudaToolkit.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <sstream>

namespace heddle::tune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const fs::path build = HEDDLE_BUILD_DIR;
const fs::path programs = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs";

/// By which names the runtime is known that nvcc links.
std::vector<std::string> runtimesOf(const fs::path &nvcc) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto &entry :
       fs::directory_iterator(fs::canonical(nvcc).parent_path().parent_path() / "lib64", none))
    if (std::string name = entry.path().filename().string(); name.starts_with("libcudart.so."))
      names.push_back(name);
  return names;
}

class GpuSearch : public testing::Test {
protected:
  void SetUp() override {
    std::optional<fs::path> nvcc = findNvcc();
    if (!nvcc)
      GTEST_SKIP() << "no nvcc here, and nobody else compiles for a GPU";
    for (const std::string &name : runtimesOf(*nvcc))
      fs::create_symlink(build / "lib" / "libheddle_cudart.so", folder.path() / name);
    if (fs::is_empty(folder.path()))
      GTEST_SKIP() << "nvcc has no shared runtime beside it";
  }

  std::string in(const std::string &name) const { return (folder.path() / name).string(); }

  ProcessResult tune(const std::string &program, const std::vector<std::string> &further,
                     const std::string &gpu = "Test GPU") const {
    std::vector<std::string> words = {(build / "heddle").string(),
                                      "tune",
                                      (programs / program).string(),
                                      "--device",
                                      "gpu",
                                      "--compiler",
                                      "clang",
                                      "--cuda-path",
                                      "none",
                                      "--run-limit",
                                      "20"};
    words.insert(words.end(), further.begin(), further.end());
    const fs::path driver = build / "tests" / "tune" / "driver";
    // Our runtime reads PTX as it is; nvcc packs it unless an option forbids it.
    return runProcess(words, {"LD_LIBRARY_PATH=" + driver.string() + ":" + folder.path().string(),
                              "NVCC_APPEND_FLAGS=--no-compress", "HEDDLE_TEST_GPU=" + gpu});
  }
  json tuneJson(const std::string &program, std::vector<std::string> further) const {
    further.push_back("--json");
    ProcessResult done = tune(program, further);
    EXPECT_EQ(done.exitCode, 0) << done.standardError;
    return json::parse(done.standardOutput, nullptr, false);
  }
  /// The results of a cache file, one after the other.
  std::vector<json> kept(const std::string &name) const {
    std::vector<json> results;
    std::istringstream lines(contentsOf(in(name)));
    for (std::string line; std::getline(lines, line);)
      if (json each = json::parse(line, nullptr, false); each.is_object() && each.contains("result"))
        results.push_back(each["result"]);
    return results;
  }

  TemporaryFolder folder;
};

TEST_F(GpuSearch, AsksTheModelFirstMeasuresEachAndKeepsBothInOneCache) {
  const std::vector<std::string> words = {"-d", "coarsen x=1|2", "--strategy", "guided", "--seed", "7",
                                          "-o", in("out.cu")};
  json report = tuneJson("blocks.cu", words);
  EXPECT_EQ(report["device"], "Test GPU");
  EXPECT_EQ(report["predicted"], false);
  ASSERT_EQ(report["results"].size(), 2u) << report.dump(1);
  EXPECT_EQ(report["results"][0]["configuration"], "baseline");
  EXPECT_EQ(report["results"][1]["configuration"], "coarsen x=2");
  for (const json &result : report["results"]) {
    EXPECT_EQ(result["status"], "measured") << result.dump(1);
    EXPECT_GT(result["micros"], 0);
    EXPECT_EQ(result["kernels"].size(), 2u);
  }
  EXPECT_GT(report["results"][1].value("predicted_micros", 0.0), 0) << "the model was asked first";
  EXPECT_THAT(contentsOf(in("out.cu")), HasSubstr("__global__"));

  const std::vector<json> results = kept("out.cu.tune.jsonl");
  std::multiset<std::string> devices;
  for (const json &result : results)
    devices.insert(result["device"].get<std::string>() +
                   (result.value("predicted", false) ? " predicted" : ""));
  EXPECT_THAT(devices, testing::UnorderedElementsAre("Test GPU", "Test GPU", "sm_90 (model) predicted",
                                                     "sm_90 (model) predicted"));

  json again = tuneJson("blocks.cu", words);
  EXPECT_EQ(again["from_cache"], 2);
  EXPECT_EQ(again["best"], report["best"]);
  EXPECT_EQ(kept("out.cu.tune.jsonl").size(), results.size()) << "nothing is measured or predicted twice";
}

TEST_F(GpuSearch, WhatErrsCrashesOrDoesNotCompileIsKeptWithItsReasonAndNeverWins) {
  json report = tuneJson("choices.cu", {"--define", "CHOICE=2|3|4|6", "--no-check"});
  std::map<std::string, std::string> status, reason;
  for (const json &result : report["results"]) {
    status[result["configuration"]] = result["status"];
    reason[result["configuration"]] = result.value("reason", "");
  }
  EXPECT_EQ(status["baseline"], "measured");
  EXPECT_EQ(status["-DCHOICE=2"], "crashed");
  EXPECT_EQ(status["-DCHOICE=3"], "wrong");
  EXPECT_EQ(status["-DCHOICE=4"], "does not compile");
  EXPECT_EQ(status["-DCHOICE=6"], "crashed");
  EXPECT_THAT(reason["-DCHOICE=2"], HasSubstr("signal 6"));
  EXPECT_THAT(reason["-DCHOICE=3"], HasSubstr("copy 1 of 1 (400 bytes)"));
  EXPECT_THAT(reason["-DCHOICE=4"], HasSubstr("this choice does not compile"));
  EXPECT_THAT(reason["-DCHOICE=6"], HasSubstr("illegal memory access"));
  EXPECT_EQ(report["best"], "baseline");
}

TEST_F(GpuSearch, WhatIsWithinTheToleranceIsNotWrong) {
  json report = tuneJson("choices.cu", {"--define", "CHOICE=3|5", "--no-check", "--tol", "rel=0.5"});
  ASSERT_EQ(report["results"].size(), 3u);
  std::map<std::string, json> results; // where a clock is read, they come as they are made
  for (const json &result : report["results"])
    results[result["configuration"]] = result;
  const json &near = results["-DCHOICE=3"];
  EXPECT_EQ(near["status"], "measured") << near.dump(1);
  EXPECT_THAT(near.value("reason", ""), HasSubstr("within rel=0.5"));
  EXPECT_EQ(results["-DCHOICE=5"]["status"], "crashed") << "another exit code is not within any tolerance";
}

TEST_F(GpuSearch, AGpuThatIsNotThereIsTheWholeAnswer) {
  ProcessResult done = tune("blocks.cu", {"-d", "coarsen x=1|2"}, "");
  EXPECT_EQ(done.exitCode, 1);
  EXPECT_THAT(done.standardError, HasSubstr("there is no GPU here"));
}

} // namespace
} // namespace heddle::tune
