// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/SimulatorMeasurer.h"

#include "counts/Facts.h"
#include "runner/Toolchain.h"
#include "support/Process.h"
#include "tune/Maker.h"
#include "tune/Needs.h"
#include "verify/Fusion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tuple>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using runner::Result;
using runner::Status;

/// What the simulator said last, for a program that it had to stop.
std::string complaintIn(const std::string &output) {
  std::istringstream lines(output);
  std::string said, last;
  for (std::string line; std::getline(lines, line);) {
    if (said.empty() && (line.starts_with("heddle: ") || line.find("error: ") != std::string::npos))
      said = line;
    if (!line.empty())
      last = line;
  }
  return said.empty() ? last : said;
}

bool simulatorFailed(const fs::path &summary) {
  nlohmann::json json = nlohmann::json::parse(std::ifstream(summary), nullptr, false);
  return json.is_object() && json.value("failed", false);
}

} // namespace

struct SimulatorMeasurer::Built {
  Status status = Status::Measured; ///< here: built
  std::string reason, compiler;
  double seconds = 0;
};

struct SimulatorMeasurer::Ran {
  fs::path folder;
  Status status = Status::Measured; ///< here: came to its end
  std::string reason, output;
  int exitCode = 0;
  double seconds = 0;

  fs::path copies() const { return folder / "copies"; }
  fs::path counters(How how = How::Counting) const {
    return folder / (how == How::Dry ? "dry.json" : "counters.json");
  }
};

SimulatorMeasurer::SimulatorMeasurer(const Problem &problem, const arch::Arch &arch, Rehearsal rehearsal)
    : problem(problem), arch(arch), rehearsal(std::move(rehearsal)) {}
SimulatorMeasurer::~SimulatorMeasurer() = default;

std::string SimulatorMeasurer::deviceFor(const std::string &what) const {
  // Predictions of other rehearsals are other predictions: caches distinguish them by this.
  const std::string from =
      rehearsal.arguments ? fmt::format(", from {}", fmt::join(*rehearsal.arguments, " ")) : "";
  return fmt::format("{} (model{}{}{})", arch.name, what, rehearsal.fills ? ", filled" : "", from);
}

const std::vector<std::string> &SimulatorMeasurer::arguments() const {
  return rehearsal.arguments ? *rehearsal.arguments : problem.arguments;
}

std::vector<std::string> SimulatorMeasurer::environment() const {
  return {"HEDDLE_ARCH=" + problem.arch, "HEDDLE_CORES=0", "HEDDLE_TIMEOUT=0",
          "HEDDLE_DATA=" + dataFolder("arch").parent_path().string()};
}

// --- Building and running ------------------------------------------------------------------------------

SimulatorMeasurer::Built SimulatorMeasurer::buildIn(const fs::path &folder, const Candidate &candidate,
                                                    const std::vector<std::string> &further) const {
  build::Request request;
  // nvcc generates other PTX for a limit of registers. The PTX that is replayed and assembled is without it (tune/Maker.cpp), and
  // predictions for the launch and for the program must agree.
  request.sources =
      sourcesFor(problem, writeFiles(candidate, problem, folder), withoutAssemblerFlags(candidate.flags));
  request.sources.flags.insert(request.sources.flags.end(), further.begin(), further.end());
  request.compiler = problem.compiler;
  request.arch = problem.arch;
  request.output = folder / "program";
  request.cache = build::CompileCache::ofUser(build::SourcePlace::Ignored);
  ProcessResult answer = runInCopy(problem.limits.compile, [&] {
    Diagnostics diagnostics;
    build::Result built = build::build(request, diagnostics);
    std::string said = built.compiler + "\n" + (built.ok ? "" : runner::firstErrorIn(built.messages));
    for (const Diagnostic &each : diagnostics.all())
      if (!built.ok)
        said = built.compiler + "\n" + each.text;
    return said;
  });
  Built built;
  built.seconds = answer.seconds;
  if (!answer.succeeded()) {
    built.status = answer.timedOut ? Status::TimedOut : Status::DoesNotCompile;
    built.reason = "compiling it " + whyFailed(answer);
    return built;
  }
  const size_t end = answer.standardOutput.find('\n');
  built.compiler = answer.standardOutput.substr(0, end);
  built.reason = answer.standardOutput.substr(end + 1);
  if (!built.reason.empty())
    built.status = Status::DoesNotCompile;
  return built;
}

SimulatorMeasurer::Ran SimulatorMeasurer::runIn(const fs::path &folder, How how) const {
  Ran ran;
  ran.folder = folder;
  const fs::path summary = folder / "summary.json";
  std::vector<std::string> words = {(folder / "program").string()};
  const std::vector<std::string> &given = how == How::Dry ? problem.arguments : arguments();
  words.insert(words.end(), given.begin(), given.end());
  ProcessRequest command = unattended(words, {}, problem.limits.run);
  command.environment = environment();
  command.environment.push_back("HEDDLE_SUMMARY=" + summary.string());
  if (how == How::Dry)
    command.environment.push_back("HEDDLE_DRY=1");
  else
    command.environment.push_back("HEDDLE_LOG=" + ran.copies().string());
  if (how != How::Plain)
    command.environment.push_back("HEDDLE_COUNTERS=" + ran.counters(how).string());
  ProcessResult end = runToEnd(command);
  ran.seconds = end.seconds;
  ran.output = end.standardOutput;
  ran.exitCode = end.exitCode;
  if (end.timedOut) {
    ran.status = Status::TimedOut;
    ran.reason = fmt::format("ran longer than {} s", problem.limits.run);
  } else if (end.signal) {
    ran.status = Status::Crashed;
    ran.reason = fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal));
  } else if (simulatorFailed(summary)) {
    ran.status = Status::Crashed;
    ran.reason = complaintIn(end.standardOutput);
  }
  return ran;
}

// --- Comparing -----------------------------------------------------------------------------------------

/// What a run copied to the host that another did not; empty where they are the same.
std::string SimulatorMeasurer::difference(const Ran &wanted, const Ran &ran) const {
  if (!problem.comparesCopies)
    return {};
  uint64_t copies = 0;
  std::optional<verify::CopyDifference> found =
      verify::compareLogs(wanted.copies().string(), ran.copies().string(), problem.tolerance, copies);
  if (found)
    return verify::textOf(*found);
  // Nothing was copied to the host: what was printed is all there is to compare.
  if (copies == 0)
    if (auto line = verify::compareText(wanted.output, ran.output, problem.tolerance))
      return verify::textOf(*line);
  return {};
}

/// Both once more, with nothing fused (verify/Fusion.h).
std::string SimulatorMeasurer::differenceUnfused(const Candidate &candidate, const std::string &compiler) {
  const std::vector<std::string> flags = verify::unfusedFlags(compiler);
  if (!unfused) {
    const fs::path folder = scratch.path() / "unfused";
    fs::create_directory(folder);
    if (buildIn(folder, *baseline, flags).status != Status::Measured)
      return "the baseline cannot be built without fused multiplications";
    unfused = std::make_unique<Ran>(runIn(folder, How::Plain));
  }
  TemporaryFolder folder;
  if (buildIn(folder.path(), candidate, flags).status != Status::Measured)
    return "it cannot be built without fused multiplications";
  Ran ran = runIn(folder.path(), How::Plain);
  return ran.status == Status::Measured ? difference(*unfused, ran) : ran.reason;
}

// --- Estimating ----------------------------------------------------------------------------------------

namespace {

/// One kernel at one shape, put together from its launches.
void add(const counts::LaunchFacts &launch, const model::Estimate &estimate,
         std::vector<runner::KernelTime> &times) {
  auto isSame = [&](const runner::KernelTime &time) {
    return time.kernel == launch.kernel && std::equal(time.grid, time.grid + 3, launch.grid) &&
           std::equal(time.block, time.block + 3, launch.block);
  };
  auto found = std::find_if(times.begin(), times.end(), isSame);
  if (found == times.end()) {
    runner::KernelTime time;
    time.kernel = launch.kernel;
    std::copy_n(launch.grid, 3, time.grid);
    std::copy_n(launch.block, 3, time.block);
    time.registers = launch.registers;
    time.spillBytes = launch.spillBytes;
    time.sharedBytes = launch.sharedBytes;
    time.occupancy = estimate.occupancy;
    found = times.insert(times.end(), time);
  }
  found->micros = (found->micros * double(found->launches) + estimate.micros) / double(found->launches + 1);
  found->q1 = found->q3 = found->micros;
  ++found->launches;
  ++found->samples;
}

} // namespace

/// By kernel, the most blocks that a launch of it has.
static std::map<std::string, double> mostBlocks(const std::vector<counts::LaunchFacts> &launches) {
  std::map<std::string, double> most;
  for (const counts::LaunchFacts &launch : launches)
    most[launch.kernel] = std::max(most[launch.kernel], launch.blocks());
  return most;
}

std::map<std::string, double> SimulatorMeasurer::blocksAtFullSize() const {
  if (!rehearsal.arguments)
    return {};
  // Without its launches a program may find wrong results, or never end; only shapes are used.
  const Ran dry = runIn(scratch.path() / "baseline", How::Dry);
  counts::ProgramCounters asked;
  counts::readCounters(dry.counters(How::Dry), asked);
  return mostBlocks(asked.launches);
}

/// `launches` are the baseline's.
void SimulatorMeasurer::findScales(const std::vector<counts::LaunchFacts> &launches) {
  if (rehearsal.arguments && !rehearsal.fills) {
    std::map<std::string, double> atFullSize = blocksAtFullSize();
    for (const auto &[kernel, blocks] : mostBlocks(launches))
      if (atFullSize.count(kernel))
        scales[kernel] = std::max(1.0, atFullSize[kernel] / blocks);
    for (const auto &[kernel, factor] : scales)
      scale = std::max(scale, factor);
  }
  if (rehearsal.fills || (rehearsal.arguments && scales.empty()))
    for (const counts::LaunchFacts &launch : launches) {
      factorsToFill[launch.kernel].push_back(counts::factorToFill(launch, arch));
      scale = std::max(scale, factorsToFill[launch.kernel].back());
    }
}

double SimulatorMeasurer::scaleOf(const std::string &kernel, size_t number) const {
  if (const auto filled = factorsToFill.find(kernel); filled != factorsToFill.end())
    return filled->second[std::min(number, filled->second.size() - 1)];
  const auto found = scales.find(kernel);
  return found == scales.end() ? scale : found->second;
}

void SimulatorMeasurer::estimate(const Candidate &candidate, const counts::ProgramCounters &counters,
                                 Result &result) {
  std::map<std::string, counts::Compiled> compiled;
  for (const auto &[kernel, needs] : candidate.needs)
    compiled[kernel] = {needs.registers, needs.spillBytes};
  std::vector<counts::LaunchFacts> launches = counts::factsOf(counters, compiled);
  if (candidate.isBaseline())
    findScales(launches);
  std::map<std::string, size_t> seen; // launches of a kernel
  for (counts::LaunchFacts &launch : launches) {
    launch = counts::scaled(launch, scaleOf(launch.kernel, seen[launch.kernel]++));
    const model::Estimate estimated = counts::estimate(launch, arch);
    if (!estimated.impossible.empty()) {
      result.status = Status::Crashed;
      result.reason = "it cannot be launched: " + estimated.impossible;
      return;
    }
    add(launch, estimated, result.kernels);
  }
  result.micros = counts::estimateProgram(counters, launches, arch).micros;
  result.q1 = result.q3 = result.micros;
}

// --- Together ------------------------------------------------------------------------------------------

/// What came of running a program, before anybody makes a time of it.
struct SimulatorMeasurer::Trial {
  Status status = Status::Measured; ///< here: computes what the baseline does
  std::string reason;
  double compileSeconds = 0, runSeconds = 0;
  counts::ProgramCounters counters;

  bool fails(Status how, std::string why) {
    status = how, reason = std::move(why);
    return false;
  }
  bool takes(const Built &built) {
    compileSeconds = built.seconds;
    return built.status == Status::Measured || fails(built.status, built.reason);
  }
  bool takes(const Ran &ran) {
    runSeconds = ran.seconds;
    return ran.status == Status::Measured || fails(ran.status, ran.reason);
  }
  void readCounters(const Ran &ran) {
    if (!counts::readCounters(ran.counters(), counters))
      fails(Status::Crashed, "the runtime left no counters behind: the program ended without it");
  }
};

/// Limits of registers, and whatever else only the assembler of PTX heeds, change nothing of what the simulator
/// runs: candidates that differ by that alone are run once.
const SimulatorMeasurer::Trial &SimulatorMeasurer::trialOf(const Candidate &candidate) {
  std::vector<std::string> identity = withoutAssemblerFlags(candidate.flags);
  for (const Candidate::File &file : candidate.files)
    identity.insert(identity.end(), {file.name, file.text});
  std::unique_ptr<Trial> &trial = trials[digestOf(identity)];
  if (!trial)
    trial = std::make_unique<Trial>(candidate.isBaseline() ? tryBaseline(candidate) : tryOut(candidate));
  else
    trial->compileSeconds = trial->runSeconds = 0;
  return *trial;
}

/// Once: a launch of it may have been captured before.
const SimulatorMeasurer::Built &SimulatorMeasurer::baselineBuilt(const Candidate &candidate) {
  if (!ofBaseline) {
    fs::create_directory(scratch.path() / "baseline");
    ofBaseline = std::make_unique<Built>(buildIn(scratch.path() / "baseline", candidate, {}));
  }
  return *ofBaseline;
}

std::optional<fs::path> SimulatorMeasurer::buildProgram(std::string &error) {
  Candidate candidate;
  candidate.files = {{problem.file.filename().string(), problem.text, true}};
  const Built &built = baselineBuilt(candidate);
  error = built.reason;
  return built.status == Status::Measured ? std::optional(scratch.path() / "baseline" / "program")
                                          : std::nullopt;
}

SimulatorMeasurer::Trial SimulatorMeasurer::tryBaseline(const Candidate &candidate) {
  baseline = candidate;
  const fs::path folder = scratch.path() / "baseline";
  Trial trial;
  if (!trial.takes(baselineBuilt(candidate)))
    return trial;
  reference = std::make_unique<Ran>(runIn(folder, How::Counting));
  if (!trial.takes(*reference))
    return trial;
  if (reference->exitCode != 0)
    trial.fails(Status::Crashed,
                fmt::format("exit code {}: {}", reference->exitCode, complaintIn(reference->output)));
  else
    trial.readCounters(*reference);
  if (trial.status == Status::Measured && trial.counters.launches.empty())
    trial.fails(Status::Crashed, std::string(runner::noLaunch));
  return trial;
}

SimulatorMeasurer::Trial SimulatorMeasurer::tryOut(const Candidate &candidate) {
  TemporaryFolder folder;
  Trial trial;
  const Built built = buildIn(folder.path(), candidate, {});
  if (!trial.takes(built))
    return trial;
  const Ran ran = runIn(folder.path(), How::Counting);
  if (!trial.takes(ran))
    return trial;
  if (ran.exitCode != reference->exitCode) {
    trial.fails(Status::Crashed, fmt::format("exit code {}, the baseline's is {}: {}", ran.exitCode,
                                             reference->exitCode, complaintIn(ran.output)));
    return trial;
  }
  std::string differs = difference(*reference, ran);
  if (!differs.empty() && differenceUnfused(candidate, built.compiler).empty()) {
    trial.reason = "other operations are fused, and results differ by that alone: " + differs;
    differs.clear();
  }
  if (differs.empty())
    trial.readCounters(ran);
  else
    trial.fails(Status::Wrong, differs);
  return trial;
}

Result SimulatorMeasurer::measure(const Candidate &candidate) {
  const Trial &trial = trialOf(candidate);
  Result result;
  result.id = candidate.id;
  result.device = device();
  result.predicted = true;
  result.status = trial.status;
  result.reason = trial.reason;
  result.compileSeconds = trial.compileSeconds;
  result.runSeconds = trial.runSeconds;
  if (result.status == Status::Measured)
    estimate(candidate, trial.counters, result);
  return result;
}

} // namespace heddle::tune
