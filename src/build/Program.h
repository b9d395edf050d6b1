// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "support/RepeatedInput.h"

#include <cstdint>
#include <memory>

namespace heddle::build {

/// A program as the verbs that run one are given it.
struct ProgramOptions {
  Sources sources;
  Compiler compiler = Compiler::Auto;
  Device device = Device::Simulator;
  std::string arch = "sm_90";
  bool keepsPtx = false; ///< Request::keepsPtx
  unsigned cores = 0;
  double timeoutSeconds = 0;
  bool colour = false; ///< in what compilers and the simulator write to standard error
  /// The path that the program is started by, and sees as argv[0]: a link that is made to it for each run. Empty: its own.
  std::filesystem::path startedAs;
  /// What each run reads from stdin, from its beginning. Null: ours, which the first run that reads it uses up.
  std::shared_ptr<RepeatedInput> input;
};

/// Turns the words of --device, --compiler and --arch into options. False with an error for a word that means
/// nothing.
bool readChoices(const std::string &device, const std::string &compiler, ProgramOptions &options,
                 Diagnostics &diagnostics);

/// What the runtime counted while the program ran on the simulator.
struct Summary {
  uint64_t launches = 0, threadInstructions = 0, warpInstructions = 0;
  double seconds = 0;
  bool failed = false;        ///< the simulator had to refuse or stop something
  bool timedOut = false;      ///< --timeout stopped a kernel
  int recordError = 0;        ///< errno where the recording of device-to-host copies is not whole
  bool fixedAddresses = true; ///< device addresses are those of every other run
  /// Functions of the device that were executed, and those of them of which compiled code was.
  uint64_t functions = 0, compiledFunctions = 0;
  /// HEDDLE_WATCH: who last wrote to the watched bytes; launch 0: none.
  struct LastWrite {
    std::string kernel;
    uint64_t launch = 0;
    uint32_t block[3] = {0, 0, 0};
    unsigned thread = 0;
  } lastWrite;
};

/// Who reads what the program prints on stdout; stderr is ours.
enum class Output { Shown, Captured };

struct ProgramRun {
  ProcessResult execution;
  Summary summary;
  std::string compiler;
};

/// A built program in a folder of its own that goes with this object. Building happens in the constructor.
class Program {
public:
  Program(const ProgramOptions &options, Diagnostics &diagnostics);

  bool ok() const { return result.ok; }
  /// False where the compiler ran and was not content.
  bool compiled() const { return result.ok || result.compiler.empty(); }
  const std::string &messages() const { return result.messages; }
  /// "nvcc" or "clang"; empty where none was found.
  const std::string &compiler() const { return result.compiler; }

  ProgramRun run(const std::vector<std::string> &arguments, const std::vector<std::string> &environment,
                 Output output) const;

private:
  std::filesystem::path commandPath() const;

  ProgramOptions options;
  TemporaryFolder folder;
  Result result;
};

} // namespace heddle::build
