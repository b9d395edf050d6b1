// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launch takes longest in total is known when the program has ended, and then it is too late to capture it. The
// first run therefore captures the first launch and measures all. Most kernels have one shape, so that this is the one
// that is wanted; otherwise the program runs again, up to the launch that is.
#include "build/CaptureRun.h"

#include "build/Build.h"
#include "support/Paths.h"
#include "support/Preload.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

using Json = nlohmann::json;

CaptureResult runOnce(const CaptureRequest &request, const std::string &launch, const RunProgram &run) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "result.json";
  ProcessResult end = run(captureEnvironment(request, launch, file));
  CaptureResult result = readCaptureResult(file);
  result.end = std::move(end);
  result.runs = 1;
  return result;
}

LaunchShape shapeFrom(const Json &json) {
  LaunchShape shape;
  shape.kernel = json.value("kernel", "");
  shape.grid = json.value("grid", shape.grid);
  shape.block = json.value("block", shape.block);
  shape.sharedBytes = json.value("shared", uint64_t(0));
  shape.first = json.value("first", uint64_t(0));
  shape.launches = json.value("launches", uint64_t(0));
  shape.cost = json.value("cost", 0.0);
  return shape;
}

bool hasCaptured(const CaptureResult &result, uint64_t launch) {
  return std::any_of(result.captured.begin(), result.captured.end(),
                     [&](const CaptureResult::Captured &each) { return each.launch == launch; });
}

CaptureResult captureLongest(const CaptureRequest &request, const RunProgram &run) {
  CaptureResult surveyed = runOnce(request, "", run);
  const LaunchShape *longest = longestInTotal(surveyed.shapes);
  if (!longest || hasCaptured(surveyed, longest->first) || longest->first == 1)
    return surveyed;
  CaptureResult second = runOnce(request, fmt::format("{}", longest->first), run);
  // The second run ends at its launch: what all launches are is known from the first.
  second.shapes = std::move(surveyed.shapes);
  second.others = std::move(surveyed.others);
  second.graphs = std::move(surveyed.graphs);
  second.runs = 2;
  return second;
}

} // namespace

uint64_t CaptureResult::launches() const {
  uint64_t all = 0;
  for (const LaunchShape &shape : shapes)
    all += shape.launches;
  return all;
}

const LaunchShape *longestInTotal(const std::vector<LaunchShape> &shapes) {
  const auto longest =
      std::max_element(shapes.begin(), shapes.end(),
                       [](const LaunchShape &a, const LaunchShape &b) { return a.cost < b.cost; });
  return longest == shapes.end() ? nullptr : &*longest;
}

std::vector<std::string> captureEnvironment(const CaptureRequest &request, const std::string &launch,
                                            const fs::path &resultFile) {
  std::vector<std::string> environment = {"HEDDLE_CAPTURE=" + fs::absolute(request.folder).string(),
                                          "HEDDLE_CAPTURE_RESULT=" + resultFile.string(),
                                          "HEDDLE_CAPTURE_KERNEL=" + request.kernel,
                                          "HEDDLE_CAPTURE_LAUNCH=" + launch,
                                          "HEDDLE_CAPTURE_ALL_MEMORY=" +
                                              std::string(request.allMemory ? "1" : "0"),
                                          "HEDDLE_CAPTURE_STOP=1",
                                          "HEDDLE_CAPTURE_ARCH=" + request.arch,
                                          "HEDDLE_CAPTURE_PROGRAM=" + request.program,
                                          "HEDDLE_CAPTURE_TURN=" + request.turnFile.string()};
  for (std::string &variable : preloading(libraryFolder() / "libheddle_capture.so"))
    environment.push_back(std::move(variable));
  return environment;
}

CaptureResult readCaptureResult(const fs::path &file) {
  CaptureResult result;
  const Json json = Json::parse(std::ifstream(file), nullptr, false);
  if (!json.is_object())
    return result;
  result.isSeen = true;
  result.isAtRest = json.value("at_rest", false);
  result.refused = json.value("refused", "");
  result.unit = json.value("unit", "");
  result.others = json.value("others", result.others);
  result.graphs = json.value("graphs", result.graphs);
  for (const Json &each : json.value("captured", Json::array()))
    result.captured.push_back({each.value("folder", ""), each.value("launch", uint64_t(0))});
  for (const Json &each : json.value("shapes", Json::array()))
    result.shapes.push_back(shapeFrom(each));
  return result;
}

CaptureResult captureLaunches(const CaptureRequest &request, const RunProgram &run) {
  switch (request.which) {
  case CaptureRequest::Which::LongestInTotal: return captureLongest(request, run);
  case CaptureRequest::Which::Numbered: return runOnce(request, fmt::format("{}", request.number), run);
  case CaptureRequest::Which::EachShape: return runOnce(request, "all", run);
  }
  return {};
}

} // namespace heddle::build
