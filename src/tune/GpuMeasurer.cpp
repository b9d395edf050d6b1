// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/GpuMeasurer.h"

#include "build/Build.h"
#include "build/Gpu.h"
#include "support/CudaToolkit.h"
#include "support/StartedProcess.h"
#include "tune/CachedCompile.h"
#include "tune/Maker.h"

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

using AheadJson = nlohmann::json;

runner::Manifest manifestOf(const Problem &problem) {
  runner::Manifest manifest;
  manifest.program = problem.file.filename().string();
  manifest.arch = problem.arch;
  manifest.flags =
      build::errorsInNvccsWords(build::withoutArchFlags(flagsFor(problem, {}, build::Compiler::Nvcc)));
  if (fs::path ours = dataFolder("runtime"); !ours.empty())
    manifest.flags.push_back("-I" + ours.string());
  manifest.arguments = problem.arguments;
  manifest.compileSeconds = problem.limits.compile;
  manifest.runSeconds = problem.limits.run;
  manifest.comparesCopies = problem.comparesCopies;
  manifest.tolerance = problem.tolerance;
  return manifest;
}

runner::Toolchain toolchain() {
  const fs::path library = build::libraryFolder() / "libheddle_timing.so";
  return {"", library.string(), ""};
}

} // namespace

GpuMeasurer::GpuMeasurer(const Problem &problem)
    : problem(problem), measurer(manifestOf(problem), fs::current_path(), scratch.path(), toolchain()),
      name(build::gpuName()) {
  const fs::path other = problem.fileWithOtherFlags();
  if (name.empty())
    whyNot = "there is no GPU here";
  else if (!findNvcc())
    whyNot = "nvcc is not installed, and candidates for a GPU are compiled by nvcc";
  else if (!other.empty())
    whyNot = whyOneCommandIsWrong(problem, other);
  else
    whyNot = measurer.prepare();
  measurer.runCompiler = [cache = build::CompileCache::ofUser(build::SourcePlace::Ignored)](
                             const runner::CompileCommand &command) { return compileCached(cache, command); };
}

/// A program that a copy of this process compiles. Its sources stay: where bits differ, it is compiled in another way.
class GpuMeasurer::Ahead {
public:
  Ahead(const GpuMeasurer &owner, const Candidate &candidate)
      : wanted(owner.written(folder.path(), candidate)),
        copy(0, [&] { return toText(owner.measurer.compile(wanted)); }) {}

  const runner::Candidate &candidate() const { return wanted; }
  bool isOver() { return copy.isOver(); }
  /// Waits.
  runner::Compiled compiled() {
    const ProcessResult &answer = copy.result();
    return fromText(answer.succeeded() ? answer.standardOutput : "", "compiling it " + whyFailed(answer));
  }

private:
  static std::string toText(const runner::Compiled &compiled) {
    return AheadJson{{"program", compiled.program.string()},
                     {"status", runner::nameOf(compiled.failure.status)},
                     {"reason", compiled.failure.reason},
                     {"seconds", compiled.seconds},
                     {"spills", compiled.spillBytes}}
        .dump(-1, ' ', false, AheadJson::error_handler_t::replace);
  }
  runner::Compiled fromText(const std::string &text, const std::string &failure) const {
    const AheadJson json = AheadJson::parse(text, nullptr, false);
    runner::Compiled compiled;
    if (!json.is_object()) {
      compiled.failure = runner::resultNow(wanted.id, runner::Status::Lost, failure);
      return compiled;
    }
    compiled.program = json["program"].get<std::string>();
    compiled.seconds = json["seconds"];
    compiled.spillBytes = json["spills"].get<std::map<std::string, uint64_t>>();
    compiled.failure = runner::resultNow(
        wanted.id, runner::statusNamed(json["status"]).value_or(runner::Status::Lost), json["reason"]);
    compiled.failure.compileSeconds = compiled.seconds;
    return compiled;
  }

  TemporaryFolder folder;
  const runner::Candidate wanted;
  StartedCopy copy;
};

GpuMeasurer::~GpuMeasurer() = default;

void GpuMeasurer::beginToPrepare(const Candidate &candidate) {
  if (!candidate.isBaseline() && !ahead.contains(candidate.id))
    ahead.emplace(candidate.id, std::make_unique<Ahead>(*this, candidate));
}

bool GpuMeasurer::isPrepared(const Candidate &candidate) {
  const auto found = ahead.find(candidate.id);
  return found == ahead.end() || found->second->isOver();
}

/// Whatever became of it: a search looks results up by the name that it was given.
runner::Result GpuMeasurer::onThisGpu(runner::Result result) const {
  result.device = name;
  return result;
}

runner::Result GpuMeasurer::measureBaseline(const Candidate &baseline) {
  const runner::Candidate wanted = written(ofBaseline.path(), baseline);
  const runner::Compiled *known = builtFor(baseline);
  return onThisGpu(known ? measurer.measure(wanted, *known) : measurer.compileAndMeasure(wanted));
}

runner::Result GpuMeasurer::measure(const Candidate &candidate) {
  if (const auto found = ahead.find(candidate.id); found != ahead.end()) {
    const std::unique_ptr<Ahead> taken = std::move(found->second);
    ahead.erase(found);
    const runner::Compiled compiled = taken->compiled();
    const runner::Result result = onThisGpu(measurer.measure(taken->candidate(), compiled));
    std::error_code ignored;
    fs::remove(compiled.program, ignored);
    return result;
  }
  TemporaryFolder folder;
  return onThisGpu(measurer.compileAndMeasure(written(folder.path(), candidate)));
}

std::optional<fs::path> GpuMeasurer::buildProgram(const std::string &text, std::string &error) {
  Candidate program;
  program.id = "captured";
  program.files = {{problem.file.filename().string(), text, true}};
  TemporaryFolder folder;
  runner::Candidate wanted{program.id, "", {}, {}, {}};
  for (const fs::path &file : writeFiles(program, problem, folder.path()))
    wanted.files.push_back(file.string());
  const runner::Compiled compiled = measurer.compile(wanted);
  error = compiled.failure.reason;
  if (compiled.program.empty())
    return std::nullopt;
  built = Built{text, compiled};
  return compiled.program;
}

/// A program of that text, if it was built before.
const runner::Compiled *GpuMeasurer::builtFor(const Candidate &candidate) const {
  const bool isSame = built && candidate.isBaseline() && candidate.flags.empty() &&
                      candidate.files.size() == 1 && candidate.files.front().text == built->text;
  return isSame ? &built->compiled : nullptr;
}

/// Writes its files.
runner::Candidate GpuMeasurer::written(const fs::path &folder, const Candidate &candidate) const {
  runner::Candidate wanted{candidate.id, candidate.configuration.str(), {}, candidate.flags, {}};
  for (const fs::path &file : writeFiles(candidate, problem, folder))
    wanted.files.push_back(file.string());
  return wanted;
}

} // namespace heddle::tune
