// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of tests/programs and examples: the first launch of each kernel, grid and block is captured on the simulator and
// replayed with the PTX that the program has. It must leave the same behind, bit by bit.
#include "TestCapture.h"
#include "Worker.h"
#include "build/DevicePtx.h"
#include "support/Preload.h"
#include "support/Process.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace heddle::replay::test {
namespace {

/// Kernels that use something that is no part of a capture. Addresses of functions are none either, but the simulator numbers functions in
/// the order in which modules are loaded, and a replay loads the candidate's first.
const std::map<std::string, std::set<std::string>> kNotReplayed = {
    // Memory that a kernel has allocated.
    {"tests/programs/device-malloc", {"consume"}},
    // Memory that the program maps itself.
    {"tests/programs/virtual-memory", {"fill"}},
};
/// Programs that launch no kernel that can be captured.
const std::set<std::string> kNotCaptured = {
    "tests/programs/device-faults", // launches end with a fault
    "tests/programs/device-query",  // there are none
    "tests/programs/graphs",        // they are in graphs
    "tests/programs/nvrtc",         // they are made by the driver API
};

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const char *folder : {"tests/programs", "examples"})
    for (const auto &entry : fs::directory_iterator(fs::path(HEDDLE_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".cu" && entry.path().stem().extension() != ".nvcc")
        names.push_back(folder + ("/" + entry.path().stem().string()));
  std::sort(names.begin(), names.end());
  return names;
}

class Programs : public testing::TestWithParam<std::string> {
protected:
  TemporaryFolder temporary;

  build::Request request() const {
    build::Request request;
    request.sources.files = {fs::path(HEDDLE_SOURCE_DIR) / (GetParam() + ".cu")};
    request.compiler = build::Compiler::Clang;
    request.output = temporary.path / "program";
    return request;
  }
};

INSTANTIATE_TEST_SUITE_P(Folder, Programs, testing::ValuesIn(programs()), [](const auto &each) {
  std::string name = each.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

TEST_P(Programs, LaunchesAreReplayedBitByBit) {
  Diagnostics diagnostics;
  const build::Result built = build::build(request(), diagnostics);
  ASSERT_TRUE(built.ok) << built.messages;
  ProcessRequest run = unattended({(temporary.path / "program").string()}, {}, 100);
  run.environment = {"HEDDLE_CAPTURE=" + (temporary.path / "captures").string(),
                     "HEDDLE_CAPTURE_RESULT=" + (temporary.path / "result").string(),
                     "HEDDLE_CAPTURE_LAUNCH=all"};
  for (const std::string &variable : preloading(HEDDLE_BUILD_DIR "/lib/libheddle_capture.so"))
    run.environment.push_back(variable);
  runToEnd(run);
  const build::DevicePtx ptx = build::compileToPtx(request(), diagnostics);
  ASSERT_TRUE(ptx.ok) << ptx.messages;
  writeText(temporary.path / "kernel.ptx", ptx.text);
  size_t captures = 0;
  std::set<std::string> failed;
  std::string messages;
  if (fs::exists(temporary.path / "captures"))
    for (const auto &entry : fs::directory_iterator(temporary.path / "captures")) {
      std::string error;
      std::optional<capture::CaptureFolder> folder = capture::CaptureFolder::open(entry.path(), error);
      if (!folder)
        continue;
      ++captures;
      const ProcessResult replayed = runProcess({kProgram, entry.path().string(), "--driver", kSimulator,
                                                 "--cubin", (temporary.path / "kernel.ptx").string()},
                                                {}, 100);
      if (replayed.exitCode == 0)
        continue;
      const std::string &name = folder->manifest.name;
      failed.insert(name.substr(0, name.find('(')));
      messages += name + ": " + replayed.standardOutput + replayed.standardError;
    }
  const auto expected = kNotReplayed.find(GetParam());
  EXPECT_EQ(failed, expected == kNotReplayed.end() ? std::set<std::string>() : expected->second) << messages;
  EXPECT_EQ(captures == 0, kNotCaptured.count(GetParam()) != 0);
}

} // namespace
} // namespace heddle::replay::test
