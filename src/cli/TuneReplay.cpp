// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneReplay.h"

#include "build/CaptureRun.h"
#include "capture/Manifest.h"
#include "support/Files.h"
#include "support/Process.h"

#include <fmt/format.h>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// heddle-replay is beside this program.
fs::path replayProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path() / "heddle-replay";
}

/// The captured launch, from the folder that holds it; nothing, and `whyNot`, where there is none.
std::optional<tune::ReplayLaunch> launchOf(const fs::path &folder, std::string &whyNot) {
  const std::optional<capture::Manifest> manifest =
      capture::manifestOf(contentsOf(folder / "launch.txt"), whyNot);
  if (!manifest)
    return std::nullopt;
  const auto array = [](const capture::Dimensions &size) {
    return std::array<uint32_t, 3>{size.x, size.y, size.z};
  };
  if (array(manifest->cluster) != std::array<uint32_t, 3>{1, 1, 1}) {
    whyNot = "it is launched in clusters";
    return std::nullopt;
  }
  return tune::ReplayLaunch{manifest->kernel, array(manifest->grid), array(manifest->block),
                            manifest->sharedBytes, manifest->cooperative};
}

std::optional<tune::ReplayLaunch> capturedLaunch(const TuneRun &run, const fs::path &program,
                                                 const fs::path &folder, std::string &whyNot) {
  build::CaptureRequest request;
  request.folder = folder;
  request.kernel = run.problem.kernel;
  request.arch = run.problem.arch;
  request.program = run.problem.file.filename().string();
  const build::CaptureResult result =
      build::captureLaunches(request, [&](const std::vector<std::string> &environment) {
        std::vector<std::string> words = {program.string()};
        words.insert(words.end(), run.problem.arguments.begin(), run.problem.arguments.end());
        ProcessRequest process = unattended(words, fs::current_path(), run.problem.limits.run);
        process.environment = environment;
        return runToEnd(process);
      });
  if (result.captured.empty()) {
    whyNot = !result.refused.empty() ? result.refused : "no launch was seen that could be captured";
    return std::nullopt;
  }
  return launchOf(result.captured.front().folder, whyNot);
}

} // namespace

std::unique_ptr<ReplaySearch> captureForReplay(const TuneRun &run, tune::GpuMeasurer &gpu,
                                               tune::LocalExecutor &whole, std::string &whyNot) {
  auto search = std::make_unique<ReplaySearch>();
  const std::optional<fs::path> program = gpu.buildProgram(run.problem.text, whyNot);
  if (!program)
    return nullptr;
  search->problem = run.problem;
  search->problem.captured = capturedLaunch(run, *program, search->folder.path() / "launch", whyNot);
  if (!search->problem.captured)
    return nullptr;
  search->maker = std::make_unique<tune::CudaMaker>(search->problem);
  search->measurer = std::make_unique<tune::ReplayMeasurer>(
      search->problem,
      std::vector<std::string>{replayProgram().string(), (search->folder.path() / "launch").string(),
                               "--serve"},
      whole, !run.budget.seconds);
  whyNot = search->measurer->prepare();
  if (!whyNot.empty())
    return nullptr;
  const tune::Made baseline = search->maker->make({});
  if (!baseline.candidate || !baseline.candidate->replay.launch)
    whyNot = baseline.candidate ? baseline.candidate->replay.whyNot : baseline.reason;
  else if (const runner::Result result = search->measurer->measureBaseline(*baseline.candidate);
           result.status != runner::Status::Measured)
    whyNot = result.reason;
  return whyNot.empty() ? std::move(search) : nullptr;
}

} // namespace heddle::cli
