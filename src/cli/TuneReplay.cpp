// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneReplay.h"

#include "build/Build.h"
#include "build/CaptureRun.h"
#include "capture/Manifest.h"
#include "counts/Facts.h"
#include "support/Files.h"
#include "support/OwnProgram.h"
#include "support/Process.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// heddle-replay is beside this program.
fs::path replayProgram() { return ownProgram().parent_path() / "heddle-replay"; }

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

constexpr const char *captureFolder = "launch";
constexpr const char *countersFile = "launches.json";

/// What a run of the whole program may use of a budget to time its launches again and again, after it made them itself.
double mostTimingSeconds(double budget) { return std::max(1.0, budget / 20); }

/// Of a search without a budget as well: launches of each shape, each with memory as it was before.
double secondsToTime(const build::CaptureResult &result, const TuneRun &run) {
  if (result.unit == "instructions")
    return 0;
  double micros = 0;
  for (const build::LaunchShape &shape : result.shapes)
    micros += shape.cost / double(std::max<uint64_t>(shape.launches, 1));
  const double seconds = 2e-6 * micros * run.request.rounds;
  return run.budget.seconds ? std::min(seconds, mostTimingSeconds(*run.budget.seconds)) : seconds;
}

/// What results of it are called by, for people and in caches: those of another launch are others.
std::string nameOfLaunch(const tune::KernelShare &kernel) {
  return kernel.longest.first > 1 ? fmt::format("{} (number {})", kernel.name, kernel.longest.first)
                                  : kernel.name;
}

std::string whyNothingIsCaptured(const build::CaptureResult &result) {
  return !result.refused.empty() ? result.refused : "no launch was seen that could be captured";
}

/// Launches are timed.
class GpuDevice final : public ReplayDevice {
public:
  GpuDevice(const TuneRun &run, tune::GpuMeasurer &gpu) : run(run), gpu(gpu) {
    if (run.budget.seconds)
      gpu.limitTiming(mostTimingSeconds(*run.budget.seconds));
  }

  std::optional<fs::path> build(std::string &error) override {
    return gpu.buildProgram(run.problem.text, error);
  }
  const std::vector<std::string> &arguments() const override { return run.problem.arguments; }
  bool canBeginEarly() const override { return true; }
  const char *whatIsDone() const override { return "timed"; }

private:
  const TuneRun &run;
  tune::GpuMeasurer &gpu;
};

/// Launches are counted, and the model predicts.
class SimulatorDevice final : public ReplayDevice {
public:
  SimulatorDevice(const TuneRun &run, tune::SimulatorMeasurer &simulator) : run(run), simulator(simulator) {}

  std::optional<fs::path> build(std::string &error) override { return simulator.buildProgram(error); }
  const std::vector<std::string> &arguments() const override { return simulator.arguments(); }
  std::vector<std::string> environment() const override { return simulator.environment(); }
  bool isFailure(const ProcessResult &end) const override { return !end.succeeded(); }
  std::vector<std::string> words() const override {
    return {"--driver", (build::libraryFolder() / "libheddle_cudart.so").string()};
  }
  std::unique_ptr<tune::ReplayModel> model(const tune::KernelShare &kernel) override {
    return std::make_unique<tune::ReplayModel>(run.arch, sizeOf(kernel.longest.kernel),
                                               simulator.deviceOfLaunch(nameOfLaunch(kernel)));
  }
  std::vector<std::string> countingInto(const fs::path &folder) const override {
    return {"HEDDLE_COUNTERS=" + (folder / countersFile).string()};
  }
  bool predict(const fs::path &folder, std::vector<build::LaunchShape> &shapes) override {
    counts::ProgramCounters counters;
    if (!counts::readCounters(folder / countersFile, counters))
      return false;
    // Launches keep their proportions: one of a single block is not taken for as much work as all others.
    double factor = 1;
    for (const counts::LaunchFacts &launch : counters.launches)
      if (run.request.fills)
        factor = std::max(factor, counts::factorToFill(launch, run.arch));
    std::vector<double> micros;
    for (const build::LaunchShape &shape : shapes) {
      const auto launch = std::ranges::find_if(counters.launches, [&](const counts::LaunchFacts &each) {
        return each.kernel == shape.kernel && std::ranges::equal(each.grid, shape.grid) &&
               std::ranges::equal(each.block, shape.block);
      });
      if (launch == counters.launches.end()) // one of many, which are not all counted
        return false;
      const double scale = run.request.fills ? factor : sizeOf(shape.kernel).scaleOf(*launch, run.arch);
      micros.push_back(counts::estimate(counts::scaled(*launch, scale), run.arch).micros *
                       double(shape.launches));
    }
    for (size_t i = 0; i < shapes.size(); ++i)
      shapes[i].cost = micros[i];
    return true;
  }
  const char *whatIsDone() const override { return "run"; }

private:
  tune::ReplayModel::Size sizeOf(const std::string &kernel) {
    if (!fullBlocks)
      fullBlocks = run.request.fills ? std::map<std::string, double>() : simulator.blocksAtFullSize();
    const auto found = fullBlocks->find(kernel);
    // A program that does not come to its launches without results is taken to be large enough.
    const bool fills = run.request.fills || (!run.request.small.empty() && found == fullBlocks->end());
    return {fills, found == fullBlocks->end() ? 0 : found->second};
  }

  const TuneRun &run;
  tune::SimulatorMeasurer &simulator;
  std::optional<std::map<std::string, double>> fullBlocks; ///< by kernel
};

} // namespace

std::unique_ptr<ReplayDevice> replayDeviceOf(const TuneRun &run, tune::Measurer &measurer) {
  if (run.request.wholeProgram || tune::isMechanism(run.problem.file))
    return nullptr;
  if (auto *gpu = dynamic_cast<tune::GpuMeasurer *>(&measurer))
    return std::make_unique<GpuDevice>(run, *gpu);
  if (auto *simulator = dynamic_cast<tune::SimulatorMeasurer *>(&measurer))
    return std::make_unique<SimulatorDevice>(run, *simulator);
  return nullptr;
}

build::CaptureRequest ReplayProgram::captureTo(const fs::path &folder) const {
  build::CaptureRequest request;
  request.folder = folder / captureFolder;
  request.kernel = run.problem.kernel;
  request.arch = run.problem.arch;
  request.program = run.problem.file.filename().string();
  return request;
}

ProcessRequest ReplayProgram::process() const {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), device.arguments().begin(), device.arguments().end());
  ProcessRequest process = unattended(words, fs::current_path(), run.problem.limits.run);
  process.environment = device.environment();
  return process;
}

std::unique_ptr<ReplayProgram> ReplayProgram::open(const TuneRun &run, ReplayDevice &device,
                                                   std::string &whyNot) {
  StartedCopy reading = tune::readingKernels(run.problem); // meanwhile
  std::unique_ptr<ReplayProgram> opened(new ReplayProgram(run, device));
  if (!run.isSpelledOut)
    opened->spaces.emplace(run.problem);
  std::string error;
  const double began = run.seconds();
  const std::optional<fs::path> program = device.build(error);
  if (!program)
    return nullptr;
  opened->beganAt = run.seconds();
  opened->buildSeconds = opened->beganAt - began;
  opened->program = *program;
  const fs::path folder = opened->first.path();
  ProcessRequest process = opened->process();
  std::ranges::copy(device.countingInto(folder), std::back_inserter(process.environment));
  opened->begun = std::make_shared<build::StartedCapture>(opened->captureTo(folder), std::move(process),
                                                          device.canBeginEarly());
  opened->fileKernels = tune::kernelsFrom(reading.result()).value_or(std::vector<tune::FileKernel>());
  while (device.canBeginEarly() && !opened->begun->isOver()) {
    if (opened->isAtRest())
      return opened;
    waitForCopies();
  }
  const build::CaptureResult result = opened->begun->result();
  if (device.isFailure(result.end))
    return nullptr;
  opened->end();
  if (!opened->kernels.tuned.empty())
    return opened;
  whyNot = result.shapes.empty() ? whyNothingIsCaptured(result)
                                 : "the kernels that the program launches are not in this file";
  return nullptr;
}

/// Whether a search can begin by what its launches until now take.
bool ReplayProgram::isAtRest() {
  std::optional<build::CaptureResult> result = begun->atRest();
  if (!result)
    return false;
  planFrom(*result);
  isEarly = isFirstLongest();
  return isEarly;
}

bool ReplayProgram::isFirstLongest() const {
  return !kernels.tuned.empty() && kernels.tuned.front().longest.first == firstLaunch;
}

void ReplayProgram::planFrom(build::CaptureResult &result) {
  using Of = tune::KernelPlan::Of;
  const Of sharesAreOf = result.unit != "instructions"                 ? Of::Time
                         : device.predict(first.path(), result.shapes) ? Of::PredictedTime
                                                                       : Of::Instructions;
  kernels = tune::planKernels(result.shapes, fileKernels);
  kernels.sharesAreOf = sharesAreOf;
  firstLaunch = result.captured.empty() ? 0 : result.captured.front().launch;
}

/// The program has ended: what all launches take is known. Of one that was killed that is what was known before.
void ReplayProgram::end() {
  build::CaptureResult result = begun->result();
  begun.reset();
  runSeconds = result.end.seconds;
  timingSeconds = secondsToTime(result, run);
  planFrom(result);
}

bool ReplayProgram::holds() {
  if (begun && begun->isOver())
    end();
  return !isEarly || isFirstLongest();
}

bool ReplayProgram::holdsAtEnd() {
  if (begun)
    end();
  return holds();
}

double ReplayProgram::secondsOfRun(bool isTimed) const {
  return begun ? run.seconds() - beganAt : runSeconds + (isTimed ? timingSeconds : 0);
}

/// Lasts as long as what it returns; null where the program has ended, and the GPU is ours.
std::shared_ptr<void> ReplayProgram::takeTurn() {
  while (begun && !begun->isOver()) {
    if (begun->tryTurn())
      return {nullptr, [program = begun](void *) { program->endTurn(); }};
    waitForCopies();
  }
  return nullptr;
}

std::optional<tune::ReplayLaunch> ReplayProgram::captureInto(const tune::KernelShare &kernel,
                                                             TemporaryFolder &folder, std::string &whyNot) {
  const uint64_t launch = kernel.longest.first;
  if (launch == firstLaunch && fs::exists(first.path() / captureFolder)) {
    std::error_code failed;
    fs::rename(first.path() / captureFolder, folder.path() / captureFolder, failed);
    if (!failed)
      return launchOf(folder.path() / captureFolder, whyNot);
  }
  build::CaptureRequest request = captureTo(folder.path());
  request.which = build::CaptureRequest::Which::Numbered;
  request.number = launch;
  const build::CaptureResult result =
      build::captureLaunches(request, [&](const std::vector<std::string> &environment) {
        ProcessRequest process = this->process();
        std::ranges::copy(environment, std::back_inserter(process.environment));
        return runToEnd(process);
      });
  if (!result.captured.empty())
    return launchOf(result.captured.front().folder, whyNot);
  whyNot = whyNothingIsCaptured(result);
  return std::nullopt;
}

std::unique_ptr<ReplaySearch> ReplayProgram::capture(const tune::KernelShare &kernel,
                                                     tune::LocalExecutor &whole, std::string &whyNot) {
  auto search = std::make_unique<ReplaySearch>();
  search->problem = run.problem;
  search->problem.captured = captureInto(kernel, search->folder, whyNot);
  if (!search->problem.captured)
    return nullptr;
  std::unique_ptr<tune::ReplayModel> model = device.model(kernel);
  search->problem.replaysPtx = model != nullptr;
  // Replays compare results. The static check takes longer than they do: where launches are measured, only candidates that are
  // about to win are checked, beside the search (tune/Confirmation.h).
  search->problem.checked = run.problem.checked && model;
  search->maker = std::make_unique<tune::CudaMaker>(search->problem);
  std::vector<std::string> command = {replayProgram().string(),
                                      (search->folder.path() / captureFolder).string(), "--serve"};
  for (std::string &word : device.words())
    command.push_back(std::move(word));
  search->measurer =
      std::make_unique<tune::ReplayMeasurer>(search->problem, std::move(command), whole, nameOfLaunch(kernel),
                                             !run.budget.seconds, std::move(model));
  search->measurer->makeUnfusedBy(*search->maker);
  search->measurer->takeTurnsBy([this] { return takeTurn(); });
  search->measurer->beforeProgram([this] { holdsAtEnd(); });
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
