// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a CUDA compiler, nvcc or Clang, as values: what it compiles, to what, and which of its
// options matter to a reader of the same text.
#pragma once

#include "source/ResponseFiles.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::source {

/// A file that is compiled or linked.
struct CommandInput {
  std::string file; ///< as given; "-" is the standard input
  size_t word = 0;  ///< its place in CompilerCommand::words
  bool isCuda = false;

  bool isStandardInput() const { return file == "-"; }
};

/// -MD and its family: the make rule that is written beside an object.
struct DependencyOptions {
  bool isAsked = false;
  std::string file; ///< -MF; empty: it follows from the other names
  std::vector<std::string> targets;
};

struct CompilerCommand {
  enum class Mode {
    Link,       ///< compiles what must be compiled, and links
    Compile,    ///< -c, -dc, -dw
    DeviceCode, ///< -ptx, -cubin..., and Clang's -S: what is compiled and not linked either
    Preprocess, ///< -E, -M
    Query,      ///< --version, --help, --dryrun: nothing is compiled
    Unclear,    ///< a value is missing; the compiler will say so
  };

  Dialect dialect = Dialect::Nvcc;
  std::vector<CommandWord> words; ///< all of them, with response files in their places
  size_t compilerWords = 0;       ///< of `words`: the compiler, behind another launcher such as ccache
  Mode mode = Mode::Link;
  std::vector<CommandInput> inputs;
  std::string output;       ///< -o
  std::string outputFolder; ///< nvcc's -odir
  DependencyOptions dependencies;
  /// What Heddle's own parser takes (CompileOptions::userArguments), in Clang's words: macros, folders of
  /// headers, the language.
  std::vector<std::string> parseFlags;
  std::vector<std::string> archs; ///< what device code is for: "sm_80", "sm_90a"; without "native" and "all"
  bool isForThisGpu = false;      ///< "native" is among them

  /// The one with the smallest number, which all others can run the code of; nothing where none is named.
  std::optional<std::string> oldestArch() const;
};

/// nvcc's where the program is called so, else Clang's.
Dialect dialectOf(const std::filesystem::path &compiler);

/// Reads a command line, of which the first word is the compiler. Response files are looked for in `folder`; empty: where we are.
CompilerCommand readCommand(const std::vector<std::string> &words, const std::filesystem::path &folder = {});

/// The file that gets the make rule of an input; empty where none is asked for.
std::filesystem::path dependencyFileOf(const CompilerCommand &command, const CommandInput &input);

} // namespace heddle::source
