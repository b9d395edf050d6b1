// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Program.h"

#include "arch/Arch.h"
#include "build/Gpu.h"
#include "support/ClangProgram.h"
#include "support/CudaToolkit.h"
#include "support/Preload.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace fs = std::filesystem;

namespace heddle::build {
namespace {

Summary readSummary(const fs::path &file) {
  Summary summary;
  nlohmann::json json = nlohmann::json::parse(std::ifstream(file), nullptr, false);
  if (!json.is_object())
    return summary; // the program ended before the runtime could write it
  summary.launches = json.value("launches", uint64_t(0));
  summary.threadInstructions = json.value("threadInstructions", uint64_t(0));
  summary.warpInstructions = json.value("warpInstructions", uint64_t(0));
  summary.seconds = json.value("seconds", 0.0);
  summary.failed = json.value("failed", false);
  summary.timedOut = json.value("timedOut", false);
  summary.recordError = json.value("recordError", 0);
  summary.fixedAddresses = json.value("fixedAddresses", true);
  summary.functions = json.value("functions", uint64_t(0));
  summary.compiledFunctions = json.value("compiledFunctions", uint64_t(0));
  if (auto write = json.find("lastWrite"); write != json.end()) {
    summary.lastWrite.kernel = write->value("kernel", "");
    summary.lastWrite.launch = write->value("launch", uint64_t(0));
    summary.lastWrite.thread = write->value("thread", 0u);
    for (int i = 0; i < 3; ++i)
      summary.lastWrite.block[i] = (*write)["block"][i];
  }
  return summary;
}

} // namespace

bool readChoices(const std::string &device, const std::string &compiler, ProgramOptions &options,
                 Diagnostics &diagnostics) {
  bool gpu = device == "gpu" || (device == "auto" && hasGpu() && findNvcc());
  options.device = gpu ? Device::Gpu : Device::Simulator;
  options.compiler = compiler == "nvcc"    ? Compiler::Nvcc
                     : compiler == "clang" ? Compiler::Clang
                                           : Compiler::Auto;
  std::optional<arch::Arch> arch = arch::findArch(options.arch, diagnostics);
  if (!arch)
    return false;
  // "sm_90a" keeps its letter: it opens instructions that the table's own name does not.
  if (!options.arch.starts_with("sm_"))
    options.arch = arch->name;
  return true;
}

Program::Program(const ProgramOptions &given, Diagnostics &diagnostics) : options(given) {
  Request request;
  request.sources = options.sources;
  request.compiler = options.compiler;
  request.device = options.device;
  request.arch = options.arch;
  request.keepsPtx = options.keepsPtx;
  request.output = folder.path() / "program";
  request.colour = options.colour;
  result = build(request, diagnostics);
}

fs::path Program::commandPath() const {
  fs::path program = folder.path() / "program";
  if (options.startedAs.empty())
    return program;
  fs::remove(options.startedAs);
  fs::create_symlink(program, options.startedAs);
  return options.startedAs;
}

ProgramRun Program::run(const std::vector<std::string> &arguments,
                        const std::vector<std::string> &environment, Output output) const {
  fs::path summaryFile = folder.path() / "summary.json";
  ProcessRequest request;
  request.command = {commandPath().string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> &all = request.environment = environment;
  all.push_back("HEDDLE_ARCH=" + options.arch);
  all.push_back(fmt::format("HEDDLE_CORES={}", options.cores));
  all.push_back(fmt::format("HEDDLE_TIMEOUT={}", options.timeoutSeconds));
  all.push_back(fmt::format("HEDDLE_COLOR={}", options.colour ? 1 : 0));
  all.push_back("HEDDLE_SUMMARY=" + summaryFile.string());
  all.push_back("HEDDLE_DATA=" + dataFolder("arch").parent_path().string());
  if (options.device == Device::Simulator) // for NVRTC
    all.push_back("HEDDLE_CLANG=" + findClang().value_or(fs::path()).string());
  // The real runtime writes no log: its calls are recorded by a library in front of it, unless the caller has another.
  const bool isPreloading =
      std::any_of(environment.begin(), environment.end(),
                  [](const std::string &variable) { return variable.starts_with("LD_PRELOAD="); });
  if (options.device == Device::Gpu && !isPreloading) {
    all.push_back("HEDDLE_RECORD="); // one of the user's own would take the log that a verb waits for
    for (std::string &variable : preloading(libraryFolder() / "libheddle_record.so"))
      all.push_back(std::move(variable));
  }
  request.output = output == Output::Shown ? Stream::Ours : Stream::Captured;
  request.error = Stream::Ours;
  // One that the user sees decides itself what ^C means; one that a verb runs for itself ends with the verb.
  request.ties = output == Output::Shown ? Ties::User : Ties::Ours;
  std::optional<RepeatedInput::Reading> reading;
  if (options.input)
    reading.emplace(*options.input);
  if (reading && reading->descriptor() >= 0)
    request.input = Stream::Given, request.inputDescriptor = reading->descriptor();
  ProgramRun run;
  run.compiler = result.compiler;
  run.execution = runToEnd(request);
  run.summary = readSummary(summaryFile);
  return run;
}

} // namespace heddle::build
