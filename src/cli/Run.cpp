// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle run: builds a CUDA program and runs it, on the simulator or on a GPU.
#include "InputOutput.h"
#include "ProgramWords.h"
#include "Verbs.h"
#include "arch/Arch.h"
#include "build/Build.h"
#include "build/Program.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "support/Text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>

namespace heddle::cli {
namespace {

const char *const aboutRun = R"(Build a CUDA program and run it, without a GPU

Examples:
  heddle run saxpy.cu
  heddle run main.cu kernels.cu -Iinclude -DN=1024 -- --size 64     flags go to the compiler, the rest after --
  heddle run saxpy.cu --arch sm_80 --cores 1 --timeout 10
  heddle run saxpy.cu --device gpu --record gpu.copies     keep the device-to-host copies, for heddle verify

A kernel that is stopped (bad address, deadlock, --timeout) is reported on stderr. After --timeout, what ran until then is
reported, and a program that does not end by itself is killed.

Exit code: that of the program; 1 if --timeout stopped a kernel, however the program handles it, or if a kernel was stopped
and the program exits with 0; 2: bad usage, or no such file; 3: it does not compile; 4: a file cannot be read or written.
)";

/// What executed kernels, where somebody chose it: that may be another engine than the chosen one.
std::string engineText(const build::Summary &summary) {
  if (!std::getenv("HEDDLE_ENGINE") || summary.functions == 0)
    return {};
  if (summary.compiledFunctions == 0)
    return "engine interpreter, ";
  if (summary.compiledFunctions == summary.functions)
    return "engine jit, ";
  return fmt::format("engine jit for {} of {} functions, ", summary.compiledFunctions, summary.functions);
}

void printSummary(const build::ProgramRun &run, const build::ProgramOptions &options) {
  if (options.device == build::Device::Gpu) {
    std::cerr << fmt::format("heddle: {:.3f} s on the GPU\n", run.execution.seconds);
    return;
  }
  std::cerr << fmt::format(
      "heddle: {} launch{}, {} thread-instructions in {:.3f} s (compiled by {} for {}, {}program {:.3f} s)\n",
      run.summary.launches, run.summary.launches == 1 ? "" : "es", inWords(run.summary.threadInstructions),
      run.summary.seconds, run.compiler, options.arch, engineText(run.summary), run.execution.seconds);
}

/// A crash of the host code is named, as shells do it. Who sends a signal, or closes a pipe, knows of it.
void reportCrash(const ProcessResult &execution) {
  const int signal = execution.signal;
  if (signal && !execution.timedOut && signal != SIGINT && signal != SIGTERM && signal != SIGHUP &&
      signal != SIGPIPE)
    std::cerr << fmt::format("heddle: the program {}\n", howEnded(execution));
}

void run(const build::ProgramOptions &options, const std::string &record, bool quiet, Session &session) {
  Diagnostics diagnostics;
  build::Program program(options, diagnostics);
  std::cerr << program.messages();
  print(std::cerr, diagnostics, session.errorColour);
  if (!program.ok()) {
    session.exitCode = program.compiled() ? ExitRefused : ExitDoesNotCompile;
    return;
  }
  std::cout.flush();
  std::vector<std::string> environment;
  if (!record.empty())
    environment.push_back("HEDDLE_LOG=" + std::filesystem::absolute(record).string());
  build::ProgramRun result = program.run(session.programArguments, environment, build::Output::Shown);
  session.exitCode = result.execution.exitCode;
  // Nothing that went wrong on the simulator passes for success, and a program that --timeout stopped ends
  // with one code, whatever it makes of the error.
  if (result.summary.timedOut || (result.summary.failed && session.exitCode == 0))
    session.exitCode = ExitRefused;
  if (!result.summary.timedOut)
    reportCrash(result.execution);
  if (!quiet || result.summary.timedOut)
    printSummary(result, options);
  if (result.summary.recordError)
    complain({record, FileFailure::Doing::Write, result.summary.recordError}, session);
}

} // namespace

void addRun(CLI::App &app, Session &session) {
  struct Given {
    build::ProgramOptions options;
    ProgramWords words;
    std::string record;
    bool quiet = false;
  };
  auto given = std::make_shared<Given>();
  CLI::App *verb = app.add_subcommand("run", aboutRun);
  addProgramOptions(*verb, given->options, given->words, session);
  addDeviceOptions(*verb, given->options, given->words);
  verb->add_option("--record", given->record,
                   "write every device-to-host copy to this file, for heddle verify")
      ->type_name("FILE");
  verb->add_flag("--quiet", given->quiet, "print no summary on stderr");
  verb->callback([given, verb, &session] {
    Diagnostics diagnostics;
    readProgramOptions(*verb, given->words, session, given->options, diagnostics);
    addBuildFlags(*verb, given->words, given->options.sources.files, {}, given->options, diagnostics);
    if (given->options.sources.files.empty())
      diagnostics.error({}, "FILE is required").withHint("heddle run FILE.cu");
    if (!complain(diagnostics, session, ExitBadUsage) && canRead(given->options.sources.files, session) &&
        areNotPtx(given->options.sources.files, session) && canWrite(given->record, session) &&
        hasDevice(given->options, session))
      run(given->options, given->record, given->quiet, session);
  });
}

} // namespace heddle::cli
