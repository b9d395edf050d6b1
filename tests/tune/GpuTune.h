// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle tune --device gpu` from end to end, where there need not be a GPU: Heddle's runtime under the name of the one that nvcc
// links, and a driver under the name of NVIDIA's. Everything between is what runs on a GPU: nvcc, the timing library, the
// capture, the comparisons.
#pragma once

#include "Sanitized.h"
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

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

inline const fs::path build = HEDDLE_BUILD_DIR;
inline const fs::path programs = fs::path(HEDDLE_SOURCE_DIR) / "tests" / "tune" / "programs";

/// By which names the runtime is known that nvcc links.
inline std::vector<std::string> runtimesOf(const fs::path &nvcc) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto &entry :
       fs::directory_iterator(fs::canonical(nvcc).parent_path().parent_path() / "lib64", none))
    if (std::string name = entry.path().filename().string(); name.starts_with("libcudart.so."))
      names.push_back(name);
  return names;
}

/// Which driver there is.
enum class Driver {
  KnowsAName, ///< tests/tune/driver: programs run, and nothing can be replayed
  Faulty,     ///< tests/tune/driver/FaultyDriver.cpp: the same, with faults
  Simulator,  ///< launches are captured and replayed; their times are numbers of instructions
};

class GpuTune : public testing::Test {
protected:
  explicit GpuTune(Driver driver) : driver(driver) {}

  void SetUp() override {
    std::optional<fs::path> nvcc = findNvcc();
    if (!nvcc)
      GTEST_SKIP() << "no nvcc here, and nobody else compiles for a GPU";
    if (test::isSanitized)
      GTEST_SKIP() << "programs that nvcc links cannot load libraries with sanitizers";
    for (const std::string &name : runtimesOf(*nvcc))
      fs::create_symlink(build / "lib" / "libheddle_cudart.so", folder.path() / name);
    if (fs::is_empty(folder.path()))
      GTEST_SKIP() << "nvcc has no shared runtime beside it";
    if (driver == Driver::Simulator)
      fs::create_symlink(build / "lib" / "libheddle_cudart.so", folder.path() / "libcuda.so.1");
  }

  std::string in(const std::string &name) const { return (folder.path() / name).string(); }

  ProcessResult tune(const std::string &program, const std::vector<std::string> &further,
                     const std::string &gpu = "Test GPU") const {
    std::vector<std::string> words = {
        (build / "heddle").string(),
        "tune",
        (fs::path(program).is_absolute() ? fs::path(program) : programs / program).string(),
        "--device",
        "gpu",
        "--compiler",
        "clang",
        "--cuda-path",
        "none",
        "--run-limit",
        "20"};
    words.insert(words.end(), further.begin(), further.end());
    words.insert(words.begin(), before.begin(), before.end());
    const fs::path drivers = build / "tests" / "tune";
    const std::string own = driver == Driver::KnowsAName ? (drivers / "driver").string() + ":"
                            : driver == Driver::Faulty   ? (drivers / "faulty").string() + ":"
                                                         : "";
    // Our runtime reads PTX as it is; nvcc packs it unless an option forbids it.
    return runProcess(words, {"LD_LIBRARY_PATH=" + own + folder.path().string(),
                              "HEDDLE_TEST_STATE=" + folder.path().string(), "HEDDLE_TEST_FAULTS=" + faults,
                              "NVCC_APPEND_FLAGS=--no-compress", "HEDDLE_TEST_GPU=" + gpu});
  }
  json tuneJson(const std::string &program, std::vector<std::string> further) const {
    further.insert(further.begin(), "--json");
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

  const Driver driver;
  TemporaryFolder folder;
  std::string faults;              ///< of the faulty driver
  std::vector<std::string> before; ///< words before the command
};

} // namespace heddle::tune
