// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Build.h"
#include "source/CompilerOptions.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace heddle::build {
namespace {

/// Flags whose value is the next word when it is not glued on.
constexpr std::array kTakesValue = {"-I",
                                    "-D",
                                    "-U",
                                    "-L",
                                    "-l",
                                    "-include",
                                    "-isystem",
                                    "-Xcompiler",
                                    "-Xptxas",
                                    "-Xlinker",
                                    "-Xcudafe",
                                    "-Xfatbin",
                                    "-gencode",
                                    "-arch",
                                    "-code",
                                    "-std",
                                    "-ccbin",
                                    "-x",
                                    "-maxrregcount",
                                    "--maxrregcount",
                                    "-idirafter",
                                    "-iquote",
                                    "-Xclang",
                                    "--generate-code",
                                    "--gpu-architecture",
                                    "--default-stream",
                                    "-rdc",
                                    "--relocatable-device-code"};

constexpr std::array kArchWithValue = {"-gencode",           "-arch",     "-code", "--generate-code",
                                       "--gpu-architecture", "--gpu-code"};

/// What nvcc can be made to treat as errors: `-Werror all-warnings`, or with `=`.
constexpr std::array kErrorKinds = {
    "all-warnings",           "cross-execution-space-call", "reorder",
    "default-stream-launch",  "ext-lambda-captures-this",   "missing-launch-bounds",
    "deprecated-declarations"};

bool oneOf(const auto &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool isGlued(std::string_view flag) {
  return std::any_of(kArchWithValue.begin(), kArchWithValue.end(), [&](std::string_view name) {
    return flag.starts_with(name) && flag.size() > name.size() && flag[name.size()] == '=';
  });
}

/// Clang's flags in nvcc's words. Those of the -f and -m families that nvcc has no name for choose instructions, extensions of
/// the language or messages; g++, which nvcc calls, need not know them.
std::vector<std::string> inNvccsWords(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string &flag = flags[i];
    const bool hasNext = i + 1 < flags.size();
    if ((flag == "-isystem" || flag == "-include") && hasNext)
      kept.insert(kept.end(), {flag, flags[++i]});
    else if ((flag == "-iquote" || flag == "-idirafter") && hasNext)
      kept.push_back("-I" + flags[++i]);
    else if (flag == "-fgpu-rdc")
      kept.emplace_back("-rdc=true");
    else if (flag == "-ffast-math")
      kept.emplace_back("--use_fast_math");
    else if (flag == "-fopenmp" || flag == "-pthread")
      kept.push_back("-Xcompiler=" + flag);
    else if (flag.starts_with("-I") || flag.starts_with("-D") || flag.starts_with("-U") ||
             flag.starts_with("-std=") || (flag.starts_with("--") && !flag.starts_with("--sysroot")))
      kept.push_back(flag);
  }
  return kept;
}

/// Names of macros that flags define or undefine.
std::set<std::string> macrosIn(const std::vector<std::string> &flags) {
  std::set<std::string> names;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (!flags[i].starts_with("-D") && !flags[i].starts_with("-U"))
      continue;
    const bool isApart = flags[i].size() == 2 && i + 1 < flags.size();
    const std::string text = isApart ? flags[++i] : flags[i].substr(2);
    names.insert(text.substr(0, text.find_first_of("=(")));
  }
  return names;
}

/// Of flags that others follow: those that these do not replace. nvcc takes -std once, and compilers warn of a macro that is
/// defined twice.
std::vector<std::string> notReplaced(std::vector<std::string> flags, const std::vector<std::string> &by) {
  const std::set<std::string> macros = macrosIn(by);
  const bool hasStandard = std::ranges::any_of(
      by, [](const std::string &flag) { return flag.starts_with("-std") || flag.starts_with("--std"); });
  std::erase_if(flags, [&](const std::string &flag) {
    const bool isMacro = flag.starts_with("-D") || flag.starts_with("-U");
    return isMacro ? macros.contains(*macrosIn({flag}).begin()) : hasStandard && flag.starts_with("-std=");
  });
  return flags;
}

} // namespace

std::vector<std::string> Sources::flagsOf(const std::filesystem::path &file, Compiler compiler) const {
  const auto own = ownFlags.find(file);
  std::vector<std::string> all = own == ownFlags.end()        ? std::vector<std::string>()
                                 : compiler == Compiler::Nvcc ? inNvccsWords(own->second)
                                                              : own->second;
  all = notReplaced(std::move(all), flags);
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

std::vector<std::string> Sources::allFlags() const {
  std::vector<std::string> all;
  for (const auto &[file, own] : ownFlags)
    all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

Sources splitArguments(const std::vector<std::string> &arguments) {
  Sources sources;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (!word.starts_with("-")) {
      sources.files.emplace_back(word);
      continue;
    }
    sources.flags.push_back(word);
    if (word == "-Werror") { // nvcc's form has a value, that of others has none
      if (i + 1 < arguments.size() && oneOf(kErrorKinds, arguments[i + 1]))
        sources.flags.back() += "=" + arguments[++i];
      continue;
    }
    if ((oneOf(kTakesValue, word) || source::takesNextWord(word)) && i + 1 < arguments.size())
      sources.flags.push_back(arguments[++i]);
  }
  return sources;
}

std::vector<std::string> withoutArchFlags(const std::vector<std::string> &flags) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (oneOf(kArchWithValue, flags[i]))
      ++i;
    else if (!isGlued(flags[i]))
      kept.push_back(flags[i]);
  }
  return kept;
}

std::vector<std::string> errorsInClangsWords(const std::vector<std::string> &flags) {
  constexpr std::string_view kind = "-Werror=";
  std::vector<std::string> kept;
  for (const std::string &flag : flags) {
    if (flag == "-Werror" || flag == "-Werror=all-warnings")
      kept.emplace_back("-Werror");
    else if (flag.starts_with(kind) && !oneOf(kErrorKinds, std::string_view(flag).substr(kind.size())))
      kept.push_back(flag);
  }
  return kept;
}

std::vector<std::string> errorsInNvccsWords(std::vector<std::string> flags) {
  std::ranges::replace(flags, std::string("-Werror"), std::string("-Werror=all-warnings"));
  return flags;
}

} // namespace heddle::build
