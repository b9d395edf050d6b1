// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle capture: runs a program and saves one launch of a kernel, with all memory that it reads and writes.
#include "CaptureText.h"
#include "InputOutput.h"
#include "KernelOption.h"
#include "ProgramWords.h"
#include "StagedCapture.h"
#include "Verbs.h"
#include "build/CaptureRun.h"
#include "build/Program.h"
#include "build/Reproducer.h"
#include "build/RuntimeLinkage.h"
#include "capture/CaptureFolder.h"
#include "support/Demangle.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Numbers.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using build::CaptureRequest;
using build::CaptureResult;
using build::RuntimeLinkage;

const char *const aboutCapture =
    R"(Run a CUDA program and save one launch of a kernel, with the memory that it reads and what it leaves behind

Examples:
  heddle capture saxpy.cu -o saxpy.launch                        the launches that take longest in total: the first of them
  heddle capture main.cu kernels.cu -Iinclude -k step -o step.launch -- --size 64
  heddle capture main.cu -k step --launch 10 -o step.launch      its tenth launch
  heddle capture main.cu -k step --launch all -o step            the first of each grid and block, in step/1, step/2, ...
  heddle capture ./main --device gpu -k step -o step.launch      a program that is linked with the shared CUDA runtime

The folder holds the launch (launch.txt), its memory (memory.bin, memory.index) and, for a program that is given as sources,
the kernel's file with a Makefile: 'make run' there replays the launch on a GPU, shows its time and compares its results.

What is saved: parameters, __device__ and __constant__ variables, textures, and allocations that can be reached from these by
pointers (--all-memory: all allocations). A launch in a graph, or one with textures of mipmapped arrays, cannot be captured.

Exit code 0: captured; 1: the launch cannot be captured, or there is none; 2: bad usage, no such file, or no such kernel; 3: the
program does not compile; 4: a file cannot be read or written.
)";

struct GivenToCapture {
  build::ProgramOptions options;
  ProgramWords words;
  std::string kernel, launch;
  fs::path folder;
  bool allMemory = false, json = false;
};

/// The program, built from sources or given as it is.
class CapturedProgram {
public:
  CapturedProgram(const GivenToCapture &given, Session &session) : given(given), session(session) {
    if (given.options.sources.files.size() == 1)
      linkage = build::runtimeLinkageOf(given.options.sources.files.front());
    isDeviceHere = findDevice();
    if (!isDeviceHere || linkage != RuntimeLinkage::NoProgram)
      return;
    Diagnostics diagnostics;
    build::ProgramOptions options = given.options;
    options.input = input;
    program = std::make_unique<build::Program>(options, diagnostics);
    std::cerr << program->messages();
    print(std::cerr, diagnostics, session.errorColour);
    if (!program->ok())
      session.exitCode = program->compiled() ? ExitRefused : ExitDoesNotCompile;
  }

  bool isReady() const { return isDeviceHere && (!program || program->ok()); }
  bool isGivenAsSources() const { return program != nullptr; }
  /// For a program as given: whether its calls can be seen.
  RuntimeLinkage runtime() const { return linkage; }
  /// A program that is linked with the simulator runs there, whatever the options say.
  bool isOnSimulator() const {
    return program ? given.options.device == build::Device::Simulator : linkage == RuntimeLinkage::Simulator;
  }

  ProcessResult run(const std::vector<std::string> &environment) const {
    if (program)
      return program->run(session.programArguments, environment, build::Output::Captured).execution;
    ProcessRequest request;
    request.command = {fs::absolute(given.options.sources.files.front()).string()};
    request.command.insert(request.command.end(), session.programArguments.begin(),
                           session.programArguments.end());
    request.environment = environment;
    request.environment.push_back("HEDDLE_ARCH=" + given.options.arch);
    request.error = Stream::Ours;
    request.ties = Ties::Ours;
    const RepeatedInput::Reading reading(*input);
    if (reading.descriptor() >= 0)
      request.input = Stream::Given, request.inputDescriptor = reading.descriptor();
    return runToEnd(request);
  }

private:
  /// A program that is given as it is runs where its runtime does.
  bool findDevice() const {
    if (linkage == RuntimeLinkage::NoProgram)
      return hasDevice(given.options, session);
    build::ProgramOptions onGpu = given.options;
    onGpu.device = build::Device::Gpu;
    return linkage != RuntimeLinkage::Shared ||
           hasDevice(onGpu, session,
                     "the program is linked with NVIDIA's runtime; its sources can be run on the simulator");
  }

  const GivenToCapture &given;
  Session &session;
  bool isDeviceHere = true;
  RuntimeLinkage linkage = RuntimeLinkage::NoProgram;
  const std::shared_ptr<RepeatedInput> input = std::make_shared<RepeatedInput>(); ///< of all runs
  std::unique_ptr<build::Program> program;
};

CaptureRequest requestOf(const GivenToCapture &given, const CapturedProgram &program,
                         const Session &session) {
  CaptureRequest request;
  request.kernel = given.kernel;
  request.which = given.launch.empty()    ? CaptureRequest::Which::LongestInTotal
                  : given.launch == "all" ? CaptureRequest::Which::EachShape
                                          : CaptureRequest::Which::Numbered;
  if (request.which == CaptureRequest::Which::Numbered)
    request.number = std::stoull(given.launch);
  request.allMemory = given.allMemory;
  if (program.isOnSimulator())
    request.arch = given.options.arch;
  std::vector<std::string> words;
  for (const fs::path &file : given.options.sources.files)
    words.push_back(file.string());
  words.insert(words.end(), session.programArguments.begin(), session.programArguments.end());
  request.program = fmt::format("{}", fmt::join(words, " "));
  return request;
}

/// What is to be said where nothing was captured.
void complainOfResult(const GivenToCapture &given, const CaptureRequest &request, const CaptureResult &result,
                      const CapturedProgram &program, Session &session) {
  const std::string kernel = given.kernel.empty() ? "kernel" : fmt::format("kernel '{}'", given.kernel);
  const auto failed = [&](const std::string &text, const std::string &hint) {
    complain(session, text, hint, ExitRefused);
  };
  if (!result.end.succeeded())
    std::cerr << result.end.standardOutput << fmt::format("heddle: the program {}\n", howEnded(result.end));
  if (!result.refused.empty())
    return failed(fmt::format("the launch cannot be captured: {}", result.refused), "");
  if (!result.isSeen && program.runtime() == RuntimeLinkage::Other)
    return failed("no launch was seen: the program is not linked with the shared CUDA runtime",
                  "link it with nvcc -cudart shared, or give its sources");
  if (!result.graphs.empty() && result.launches() == 0)
    return failed(fmt::format("the {} is launched in a graph, and such launches cannot be captured", kernel),
                  "launch it on a stream");
  if (result.launches() > 0)
    return failed(fmt::format("there is no launch {}: the {} is launched {}", request.number, kernel,
                              result.launches() == 1 ? "once" : fmt::format("{} times", result.launches())),
                  "");
  complainOfNoLaunch(given.kernel, result.others, session);
}

/// The sources of a reproducer. A program that is given as it is has none.
void addReproducer(const GivenToCapture &given, const CaptureShown &shown) {
  const build::ReproducerRequest request{shown.folder, given.options.sources, shown.manifest.kernel,
                                         shown.manifest.arch};
  if (const std::string whyNot = build::writeReproducer(request); !whyNot.empty())
    std::cerr << fmt::format("heddle: note: the folder has no Makefile: {}\n", whyNot);
}

void capture(const GivenToCapture &given, Session &session) {
  const CapturedProgram program(given, session);
  if (!program.isReady())
    return;
  StagedCapture staged(given.folder);
  CaptureRequest request = requestOf(given, program, session);
  request.folder = staged.path();
  const CaptureResult result = build::captureLaunches(
      request, [&](const std::vector<std::string> &environment) { return program.run(environment); });
  if (result.captured.empty())
    return complainOfResult(given, request, result, program, session);
  if (!result.refused.empty())
    complain(session, fmt::format("a launch cannot be captured: {}", result.refused), "", ExitRefused);
  if (!result.end.succeeded())
    std::cerr << fmt::format("heddle: note: after the capture, the program {}\n", howEnded(result.end));
  std::vector<CaptureShown> all;
  for (const CaptureResult::Captured &each : result.captured) {
    std::string error;
    std::optional<capture::CaptureFolder> opened = capture::CaptureFolder::open(each.folder, error);
    if (!opened)
      return complain(session, error, "", ExitInputOutput);
    all.push_back(shownOf(*opened, staged.placed(each.folder), given.folder, result));
  }
  if (std::optional<FileFailure> failure = staged.putIntoPlace())
    return complain(*failure, session);
  if (program.isGivenAsSources())
    for (const CaptureShown &each : all)
      addReproducer(given, each);
  std::cout << (given.json ? jsonText(captureJson(all, result)) : captureText(all, result));
}

/// An existing folder is overwritten where it is empty or holds a capture.
bool mayFill(const fs::path &folder, Session &session) {
  std::error_code ignored;
  const bool isOurs = !fs::is_directory(folder, ignored) || fs::is_empty(folder, ignored) ||
                      holdsCapture(folder) || holdsCapture(folder / "1");
  if (!isOurs)
    complain(session, fmt::format("the folder '{}' is not empty and holds no capture", folder.string()),
             "-o names a new folder", ExitBadUsage);
  return isOurs && canFill(folder, session);
}

} // namespace

void addCapture(CLI::App &app, Session &session) {
  auto given = std::make_shared<GivenToCapture>();
  CLI::App *verb = app.add_subcommand("capture", aboutCapture);
  session.operands["capture"].usage = "FILE... | PROGRAM [COMPILER-OPTION...] [-- ARGUMENT...]";
  addKernelOption(*verb, given->kernel, "the kernel (default: any)");
  verb->add_option("--launch", given->launch,
                   "number of the launch, from 1, or all: the first of each grid, block and shared memory "
                   "(default: the first of those that take longest in total)")
      ->type_name("N|all")
      ->check(CLI::Validator(
          [](const std::string &word) {
            const bool isNumber = !word.empty() && word.size() < 19 && word[0] != '0' &&
                                  word.find_first_not_of("0123456789") == std::string::npos;
            return isNumber || word == "all" ? "" : "a number from 1, or all";
          },
          ""));
  verb->add_option("-o,--output", given->folder, "the folder to write")->type_name("FOLDER")->required();
  verb->add_flag("--all-memory", given->allMemory,
                 "save all allocations, not only those that can be reached");
  verb->add_flag("--json", given->json, "print the same facts as JSON");
  addProgramOptions(*verb, given->options, given->words, session);
  addDeviceOptions(*verb, given->options, given->words);
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    if (given->options.sources.files.empty())
      diagnostics.error({}, "FILE is required").withHint("heddle capture FILE.cu -o FOLDER");
    addBuildFlags(*verb, given->words, given->options.sources.files, {}, given->options, diagnostics);
    if (!complain(diagnostics, session, ExitBadUsage) && canRead(given->options.sources.files, session) &&
        areNotPtx(given->options.sources.files, session) && mayFill(given->folder, session))
      capture(*given, session);
  });
}

} // namespace heddle::cli
