// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/StartedCapture.h"

namespace heddle::build {
namespace {

constexpr const char *resultName = "result.json";

} // namespace

StartedCapture::StartedCapture(CaptureRequest request, ProcessRequest process, bool sharesGpu) {
  if (sharesGpu)
    request.turnFile = folder.path() / "turn";
  turn.emplace(request.turnFile.string());
  for (std::string &variable : captureEnvironment(request, "", folder.path() / resultName))
    process.environment.push_back(std::move(variable));
  program.emplace(std::move(process));
}

std::optional<CaptureResult> StartedCapture::atRest() const {
  CaptureResult result = readCaptureResult(folder.path() / resultName);
  return result.isAtRest && !result.captured.empty() ? std::optional(std::move(result)) : std::nullopt;
}

CaptureResult StartedCapture::result() {
  ProcessResult end = program->result();
  CaptureResult result = readCaptureResult(folder.path() / resultName);
  result.end = std::move(end);
  result.runs = 1;
  return result;
}

} // namespace heddle::build
