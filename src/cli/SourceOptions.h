// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verbs that read CUDA have in common: which file, how to compile it, which kernel.
#pragma once

#include "CompileCommandOptions.h"
#include "source/Program.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

struct Session;

/// A command line in three parts: Heddle's own words, those meant for the compiler (-I, -D, -std=... in any
/// place before `--`), and those after `--`, which belong to the program that is run.
struct SplitArguments {
  std::vector<std::string> own, compiler, program;
};
SplitArguments splitArguments(const std::vector<std::string> &words);

/// Options of nvcc that name a GPU generation are not used: --arch is.
void warnOfArchOptions(const std::vector<std::string> &words, const Session &session);

/// --cuda-path, --arch, -p: filled by the command line, turned into what the source module takes.
class SourceOptions {
public:
  void addTo(CLI::App &verb, Session &session);
  /// Takes the flags that a build system compiles this file with, and its architecture unless --arch is given. False, with
  /// a message and the exit code, where -p names a database without it.
  bool readBuildFlags(const std::string &file);
  source::CompileOptions compileOptions() const;
  /// What to do about errors of Clang that nvcc does not report; empty for others. It ends in a line break.
  std::string hintFor(const std::string &compilerMessages) const;
  const std::string &archName() const { return arch; }
  /// By --arch, or by the flags of a build system.
  bool isArchGiven() const { return isArchOfBuild || archOption->count() > 0; }
  /// In the place of the default.
  void setArch(const std::string &name) { arch = name; }
  /// Of the file that readBuildFlags was called with.
  const std::vector<std::string> &buildFlags() const { return own; }
  /// Of another file of the program.
  source::BuildFlags buildFlagsOf(const std::string &file, Diagnostics &diagnostics);

private:
  Session *session = nullptr;
  std::string arch = "sm_90", cudaPath;
  CLI::Option *archOption = nullptr;
  bool isArchOfBuild = false;
  CompileCommandOptions commands;
  std::vector<std::string> own;
};

/// The target to parse a file for, as Clang spells it; `otherwise` where Clang has no such target.
std::string archForClang(const std::string &arch, const std::string &otherwise);

/// "256", "16,16" or "8,8,4"; nothing for what is no block.
std::optional<std::array<int64_t, 3>> parseBlock(const std::string &text);

/// Parses the file, or prints why it cannot be and leaves the exit code (2 where there is no such thing to
/// read, 3 where it does not compile).
std::unique_ptr<source::Program> readProgram(const std::string &file, const SourceOptions &options,
                                             Session &session);

/// The kernels that -k names, all where it names none. Empty, with the message printed and the exit code set,
/// where there are none.
std::vector<const source::Kernel *> chooseKernels(const source::Program &program, const std::string &wanted,
                                                  Session &session);

} // namespace heddle::cli
