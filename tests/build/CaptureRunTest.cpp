// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/CaptureRun.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace heddle::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string valueIn(const std::vector<std::string> &environment, const std::string &name) {
  for (const std::string &variable : environment)
    if (variable.starts_with(name + "="))
      return variable.substr(name.size() + 1);
  return "(not set)";
}

nlohmann::json shape(uint64_t first, uint64_t launches, double cost) {
  return {{"kernel", "_Z4stepPf"}, {"grid", {first, 1, 1}}, {"block", {128, 1, 1}}, {"shared", 0},
          {"first", first},        {"launches", launches},  {"cost", cost}};
}

/// A program that is run by this test: writes what the library would.
struct FakeProgram {
  std::vector<nlohmann::json> shapes;
  std::string refused;
  std::vector<std::string> asked; ///< HEDDLE_CAPTURE_LAUNCH of each run

  ProcessResult run(const std::vector<std::string> &environment) {
    asked.push_back(valueIn(environment, "HEDDLE_CAPTURE_LAUNCH"));
    const std::string launch = asked.back().empty() ? "1" : asked.back();
    nlohmann::json result = {{"refused", refused},
                             {"unit", "micros"},
                             {"shapes", shapes},
                             {"others", {{"_Z4initv", 2}}},
                             {"graphs", nlohmann::json::object()}};
    result["captured"] = nlohmann::json::array();
    if (refused.empty() && !shapes.empty())
      result["captured"].push_back({{"folder", "/there"}, {"launch", std::stoi(launch)}});
    std::ofstream(valueIn(environment, "HEDDLE_CAPTURE_RESULT")) << result;
    ProcessResult end;
    end.exitCode = 0;
    return end;
  }

  CaptureResult captured(CaptureRequest request = {}) {
    request.folder = "there";
    return captureLaunches(request,
                           [this](const std::vector<std::string> &environment) { return run(environment); });
  }
};

TEST(CaptureRun, OneRunIsEnoughWhereTheFirstShapeTakesLongest) {
  FakeProgram program{{shape(1, 10, 50), shape(4, 1, 20)}, "", {}};
  const CaptureResult result = program.captured();
  EXPECT_THAT(program.asked, ElementsAre(""));
  ASSERT_EQ(result.captured.size(), 1u);
  EXPECT_EQ(result.captured[0].launch, 1u);
  EXPECT_EQ(result.launches(), 11u);
  EXPECT_EQ(result.runs, 1u);
}

TEST(CaptureRun, AShapeThatTakesLongerIsCapturedByASecondRun) {
  FakeProgram program{{shape(1, 1, 5), shape(4, 100, 500), shape(9, 1, 20)}, "", {}};
  const CaptureResult result = program.captured();
  EXPECT_THAT(program.asked, ElementsAre("", "4"));
  ASSERT_EQ(result.captured.size(), 1u);
  EXPECT_EQ(result.captured[0].launch, 4u);
  EXPECT_EQ(result.runs, 2u);
  EXPECT_EQ(result.others.at("_Z4initv"), 2u);
}

TEST(CaptureRun, WhatIsRefusedIsNotTriedAgain) {
  FakeProgram program{{shape(1, 1, 5)}, "it has a texture", {}};
  const CaptureResult result = program.captured();
  EXPECT_THAT(program.asked, ElementsAre(""));
  EXPECT_THAT(result.captured, IsEmpty());
  EXPECT_EQ(result.refused, "it has a texture");
}

TEST(CaptureRun, NumbersAndAllShapesNeedOneRun) {
  FakeProgram program{{shape(1, 1, 0), shape(4, 1, 0)}, "", {}};
  CaptureRequest request;
  request.which = CaptureRequest::Which::Numbered;
  request.number = 7;
  EXPECT_EQ(program.captured(request).captured[0].launch, 7u);
  EXPECT_THAT(program.asked, ElementsAre("7"));
}

TEST(CaptureRun, SettingsReachTheLibrary) {
  CaptureRequest request;
  request.folder = "there";
  request.kernel = "step<float>";
  request.which = CaptureRequest::Which::EachShape;
  request.allMemory = true;
  request.arch = "sm_80";
  std::vector<std::string> seen;
  const CaptureResult result = captureLaunches(request, [&](const std::vector<std::string> &environment) {
    seen = environment;
    return ProcessResult();
  });
  EXPECT_FALSE(result.isSeen);
  EXPECT_EQ(valueIn(seen, "HEDDLE_CAPTURE"), (std::filesystem::current_path() / "there").string());
  EXPECT_EQ(valueIn(seen, "HEDDLE_CAPTURE_KERNEL"), "step<float>");
  EXPECT_EQ(valueIn(seen, "HEDDLE_CAPTURE_LAUNCH"), "all");
  EXPECT_EQ(valueIn(seen, "HEDDLE_CAPTURE_ALL_MEMORY"), "1");
  EXPECT_EQ(valueIn(seen, "HEDDLE_CAPTURE_ARCH"), "sm_80");
  EXPECT_THAT(valueIn(seen, "LD_PRELOAD"), HasSubstr("libheddle_capture.so"));
}

TEST(CaptureRun, OfEqualShapesTheFirstIsChosen) {
  LaunchShape a, b;
  a.cost = b.cost = 3;
  a.first = 1;
  b.first = 2;
  const std::vector<LaunchShape> shapes = {a, b};
  EXPECT_EQ(longestInTotal(shapes)->first, 1u);
  EXPECT_EQ(longestInTotal({}), nullptr);
}

} // namespace
} // namespace heddle::build
