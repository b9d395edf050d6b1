// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TuneRequest.h"
#include "build/StartedCapture.h"
#include "tune/FileKernels.h"
#include "tune/GpuMeasurer.h"
#include "tune/KernelPlan.h"
#include "tune/ReplayMeasurer.h"

namespace heddle::cli {

/// A search by one captured launch instead of the whole program.
struct ReplaySearch {
  TemporaryFolder folder; ///< the capture
  tune::Problem problem;  ///< with the captured launch
  std::unique_ptr<tune::CudaMaker> maker;
  std::unique_ptr<tune::ReplayMeasurer> measurer;
};

/// Where a program is run that launches are captured of, and where these are replayed.
class ReplayDevice {
public:
  virtual ~ReplayDevice() = default;
  /// The problem's program; nothing, and `error`, where it does not compile.
  virtual std::optional<std::filesystem::path> build(std::string &error) = 0;
  virtual const std::vector<std::string> &arguments() const = 0; ///< of the program
  virtual std::vector<std::string> environment() const { return {}; }
  /// Whether launches can be replayed while the program is still at work on the host: what its launches take is measured, and does
  /// not have to be computed from files that are there at its end.
  virtual bool canBeginEarly() const { return false; }
  /// Whether how the program ended says that it cannot be tuned at all. The whole program's search then says why.
  virtual bool isFailure(const ProcessResult &) const { return false; }
  /// Further words of heddle-replay.
  virtual std::vector<std::string> words() const { return {}; }
  /// What predicts times of a kernel's launch; null where they are measured.
  virtual std::unique_ptr<tune::ReplayModel> model(const tune::KernelShare &) { return nullptr; }
  /// Environment of the run that shows what launches take. Files that it writes go to the folder.
  virtual std::vector<std::string> countingInto(const std::filesystem::path &) const { return {}; }
  /// Predicts the times of launches from these files. False where that is not possible.
  virtual bool predict(const std::filesystem::path &, std::vector<build::LaunchShape> &) { return false; }
  /// For people: "timed".
  virtual const char *whatIsDone() const = 0;
};

/// The device that a measurer of whole programs uses. They must not outlive the run and the measurer. Null where launches are not
/// replayed.
std::unique_ptr<ReplayDevice> replayDeviceOf(const TuneRun &run, tune::Measurer &measurer);

/// The baseline, compiled, and run once under the capture library: what its kernels take is known, and launches can be captured.
///
/// Where the device allows it, the program may still run: it has made launches, which are measured and have ended, and is at work on
/// the host. If its first launch takes longest of these, it is taken for the one that takes longest of all. At the end of the program
/// that is known. The GPU is used in turns meanwhile.
class ReplayProgram {
public:
  /// Null, and `whyNot`, where no launch of a kernel of the tuned file is seen. `whyNot` is empty where the program does not
  /// compile, or fails: a search in the whole program says so.
  static std::unique_ptr<ReplayProgram> open(const TuneRun &run, ReplayDevice &device, std::string &whyNot);

  const tune::KernelPlan &plan() const { return kernels; }
  bool isRunning() const { return begun != nullptr; }
  /// To be called again and again while it runs: notices its end. False once that has shown that not the first launch takes longest,
  /// though it was taken for that.
  bool holds();
  /// The same, after waiting for its end.
  bool holdsAtEnd();
  /// What `-d auto` offers for a kernel; nothing where that was not computed.
  std::optional<tune::AutoSpace> spaceOf(const std::string &kernel) {
    return spaces ? spaces->of(kernel) : std::nullopt;
  }
  /// What a run of the program takes, with launches made again and again to time them, or without that.
  double secondsOfRun(bool isTimed) const;
  double secondsOfBuild() const { return buildSeconds; }
  /// Captures a kernel's longest launch, and replays it once. Null, and `whyNot`, where it cannot be captured or replayed.
  std::unique_ptr<ReplaySearch> capture(const tune::KernelShare &kernel, tune::LocalExecutor &whole,
                                        std::string &whyNot);

private:
  ReplayProgram(const TuneRun &run, ReplayDevice &device) : run(run), device(device) {}
  build::CaptureRequest captureTo(const std::filesystem::path &folder) const;
  ProcessRequest process() const;
  bool isAtRest();
  void end();
  void planFrom(build::CaptureResult &result);
  bool isFirstLongest() const;
  std::shared_ptr<void> takeTurn();
  std::optional<tune::ReplayLaunch> captureInto(const tune::KernelShare &kernel, TemporaryFolder &folder,
                                                std::string &whyNot);

  const TuneRun &run;
  ReplayDevice &device;
  std::optional<tune::EarlySpaces> spaces; ///< where `-d auto` is for the kernels that take longest
  std::filesystem::path program;
  TemporaryFolder first;    ///< with the capture of the first launch
  uint64_t firstLaunch = 0; ///< its number; 0: it is not there
  bool isEarly = false;     ///< the plan was made while the program ran
  std::vector<tune::FileKernel> fileKernels;
  tune::KernelPlan kernels;
  std::shared_ptr<build::StartedCapture> begun; ///< null: the program has ended
  double buildSeconds = 0, beganAt = 0, runSeconds = 0, timingSeconds = 0;
};

} // namespace heddle::cli
