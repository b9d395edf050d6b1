// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle nvcc: a compiler launcher. Its words are those of a compiler, which no parser of options of ours may look at; main hands them over as
// they are. The subcommand is there for the help, and for calls without a compiler.
#include "Verbs.h"
#include "launcher/Launcher.h"
#include "support/ExitCode.h"
#include "support/ShellText.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <set>

namespace heddle::cli {
namespace {

const char *const aboutNvcc = R"(Call a CUDA compiler, and apply the directives of the files that it compiles.

Examples:
  heddle nvcc nvcc -O3 -arch=sm_90 -c stencil.cu -o stencil.o
  heddle nvcc clang++ --cuda-gpu-arch=sm_90 -c stencil.cu
  make NVCC="heddle nvcc nvcc"
  cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER="heddle;nvcc"

COMPILER is nvcc or Clang; everything after it is its own command line. CUDA files with #pragma heddle lines, or with such lines
in headers that they include, are transformed as heddle opt does it, and the compiler gets the results instead of them. Objects and
dependency files have the names that they have without Heddle, dependency files list your files, and messages of the compiler name
your files and lines. Where there is nothing to transform, the compiler is called as if Heddle were not there.

A directive that is refused is left out with a warning; what was not checked is a warning, too. A directive that leaves a kernel
unchanged is a remark, which is never an error. These options are not passed to the compiler:
  -Wheddle               warnings and remarks (the default)
  -Wno-heddle            none of them
  -Werror=heddle         warnings are errors: exit code 1, and nothing is compiled
  -Wno-error=heddle      warnings are no errors, after -Werror=heddle

Environment:
  HEDDLE_DIRECTIVES      a file with lines KERNEL: DIRECTIVE, for sources that must not be changed
  HEDDLE_ASSUME          whole-program, no-overlap: the assumptions of heddle opt --assume, separated by commas
  HEDDLE_WERROR          1: as -Werror=heddle, for builds in which some configure without heddle
  HEDDLE_LAUNCHER_CACHE  folder for transformed files; else heddle/launcher in $XDG_CACHE_HOME or ~/.cache

Exit code: that of the compiler. 1: -Werror=heddle or HEDDLE_WERROR, and there was a warning of Heddle; 2: no compiler is
given, or it does not exist.
)";

bool isWarningOption(const std::string &word) { return word.starts_with("-W") && word.ends_with("heddle"); }

/// What was meant, as words after `heddle nvcc`: a compiler that follows options of the launcher comes first.
std::vector<std::string> withCompilerFirst(std::vector<std::string> words) {
  const auto compiler = std::ranges::find_if_not(words, isWarningOption);
  if (compiler == words.begin() || compiler == words.end() || compiler->starts_with("-"))
    words.insert(words.begin(), "nvcc");
  else
    std::rotate(words.begin(), compiler, compiler + 1);
  return words;
}

/// The first word from `at` on that is neither --color nor its value, which is kept. A value that --color does not have is left
/// to the parser of options, which complains.
size_t afterColour(const std::vector<std::string> &words, size_t at, std::string &colour) {
  static const std::set<std::string> known = {"auto", "always", "never"};
  const std::string joined = "--color=";
  while (at < words.size()) {
    const bool isJoined = words[at].starts_with(joined);
    if (!isJoined && (words[at] != "--color" || at + 1 == words.size()))
      return at;
    const std::string value = isJoined ? words[at].substr(joined.size()) : words[at + 1];
    if (!known.contains(value))
      return at;
    colour = value;
    at += isJoined ? 1 : 2;
  }
  return at;
}

} // namespace

std::optional<LauncherCall> launcherCall(const std::vector<std::string> &words) {
  LauncherCall call;
  const size_t verb = afterColour(words, 0, call.colour);
  if (verb == words.size() || words[verb] != "nvcc")
    return std::nullopt;
  const size_t compiler = afterColour(words, verb + 1, call.colour);
  static const std::set<std::string> ours = {"-h", "--help", "--version", "--color"};
  if (compiler == words.size() || ours.contains(words[compiler].substr(0, words[compiler].find('='))))
    return std::nullopt;
  call.words.assign(words.begin() + std::ptrdiff_t(compiler), words.end());
  return call;
}

int launchCompiler(const LauncherCall &call, bool colour) {
  if (call.words.front().starts_with("-")) {
    std::cerr << fmt::format(
        "heddle nvcc: error: the compiler is missing before '{}'\nhint: heddle nvcc {}\n", call.words.front(),
        shellCommand(withCompilerFirst(call.words)));
    return ExitBadUsage;
  }
  return launcher::launch(call.words, colour);
}

void addNvcc(CLI::App &app, Session &session) {
  auto compiler = std::make_shared<std::string>();
  CLI::App *verb = app.add_subcommand("nvcc", aboutNvcc);
  verb->add_option("COMPILER", *compiler, "nvcc or Clang, with its own options and files after it");
  session.operands["nvcc"] = {"COMPILER [ARGUMENT...]", {{}, {}, true, false}};
  verb->callback([compiler, &session] {
    complain(session, "COMPILER is required", "heddle nvcc nvcc -c FILE.cu -o FILE.o", ExitBadUsage);
  });
}

} // namespace heddle::cli
