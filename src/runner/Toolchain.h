// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Manifest.h"
#include "support/Process.h"

#include <cstdint>
#include <functional>
#include <map>

namespace heddle::runner {

/// How a candidate becomes a program whose launches can be timed.
struct Toolchain {
  /// "CMD {flags} {files} -o {out}", instead of nvcc. A word that is a placeholder becomes as many words as
  /// it represents. No shell looks at it.
  std::string compileCommand;
  /// The library that times launches (src/runner/timing), preloaded. Empty: made by nvcc from the sources
  /// beside the manifest. "none": nothing is preloaded, the program itself writes the report.
  std::string timingLibrary;
  /// Keeps the compiler from fusing multiplications and additions; nvcc's is known. Empty, with a command of
  /// one's own: there is none.
  std::string unfusedFlag;
};

/// A compiler's run that makes a program of its sources.
struct CompileCommand {
  std::vector<std::string> words;
  std::vector<std::filesystem::path> sources; ///< as they are among the words
  std::filesystem::path program, folder;      ///< folder: to run in
  double seconds = 0;
};
/// What the compiler says, on both streams, is the result's standard output.
using RunCompiler = std::function<ProcessResult(const CompileCommand &)>;

/// The flags to compile with where bits differ (verify/Fusion.h); empty where they are not known.
std::vector<std::string> unfusedFlagsOf(const Toolchain &toolchain);

/// The words that compile a candidate, run in the manifest's folder. Empty, and `error`, where there is no
/// compiler.
std::vector<std::string> compileWords(const Toolchain &toolchain, const Manifest &manifest,
                                      const Candidate &candidate, const std::filesystem::path &out,
                                      std::string &error);

/// The words that make the timing library from the sources in `folder`/timing, where a plan has them (tune/Plan.cpp).
std::vector<std::string> timingWords(const std::filesystem::path &folder, const std::filesystem::path &out,
                                     std::string &error);

/// Bytes that each kernel spills, stores and loads together, as ptxas -v reports.
std::map<std::string, uint64_t> spillsIn(const std::string &compilerOutput);

/// The line that a person wants to see first of what a compiler said.
std::string firstErrorIn(const std::string &compilerOutput);

} // namespace heddle::runner
