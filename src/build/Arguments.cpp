// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build/Build.h"

#include <algorithm>
#include <array>
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

/// What nvcc can be told to take as errors: `-Werror all-warnings`, or with `=`.
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

} // namespace

Sources splitArguments(const std::vector<std::string> &arguments) {
  Sources sources;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    if (!word.starts_with("-")) {
      sources.files.emplace_back(word);
      continue;
    }
    sources.flags.push_back(word);
    if (word == "-Werror" && i + 1 < arguments.size() && oneOf(kErrorKinds, arguments[i + 1]))
      sources.flags.back() += "=" + arguments[++i];
    if (oneOf(kTakesValue, word) && i + 1 < arguments.size())
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
