// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LateMacros.h"

#include "support/HeaderCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace heddle {
namespace {

/// A macro of the command line, as `N=64`, `N` or `F(x)=x`.
struct GivenMacro {
  std::string name, definition;
};

GivenMacro givenMacro(std::string_view text) {
  text = text.substr(0, text.find('\n')); // as Clang does
  const size_t equals = text.find('=');
  const std::string_view head = text.substr(0, equals);
  GivenMacro macro{std::string(head.substr(0, head.find('('))), ""};
  macro.definition = fmt::format("{} {}", head, equals == text.npos ? "1" : text.substr(equals + 1));
  return macro;
}

/// The value of an option that is joined to it or follows it.
std::optional<std::string> joinedOrNext(std::string_view option, const std::vector<std::string> &words,
                                        size_t &at) {
  if (!words[at].starts_with(option))
    return std::nullopt;
  if (words[at].size() > option.size())
    return words[at].substr(option.size());
  return at + 1 < words.size() ? std::optional(words[++at]) : std::nullopt;
}

} // namespace

bool isForHeaders(std::string_view name) {
  constexpr std::string_view prefixes[] = {"_",       "CUDA",  "CU_", "CUB_",        "CURAND", "CG_",
                                           "THRUST_", "CCCL_", "NV",  "LIBCUDACXX_", "HEDDLE_"};
  // The last two are Clang's own, which only the command line itself can redefine.
  constexpr std::string_view names[] = {"NDEBUG", "linux", "unix"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(names, name) != std::end(names);
}

std::string lateMacroLines(const std::vector<std::string> &words, std::vector<std::string> &others) {
  std::vector<GivenMacro> macros;
  const auto forget = [&](const std::string &name) {
    std::erase_if(macros, [&](const GivenMacro &macro) { return macro.name == name; });
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t first = i;
    if (words[i] == "-Xclang" || words[i] == "-Xpreprocessor" || words[i] == "-include") {
      i = std::min(i + 1, words.size() - 1); // what follows is no option of the driver
    } else if (std::optional<std::string> defined = joinedOrNext("-D", words, i)) {
      GivenMacro macro = givenMacro(*defined);
      forget(macro.name);
      if (!isForHeaders(macro.name)) {
        macros.push_back(std::move(macro));
        continue;
      }
    } else if (std::optional<std::string> undefined = joinedOrNext("-U", words, i)) {
      forget(*undefined);
    }
    others.insert(others.end(), words.begin() + long(first), words.begin() + long(i) + 1);
  }
  std::string lines;
  for (const GivenMacro &macro : macros)
    lines += fmt::format("#ifndef {}\n#define {}\n#endif\n", macro.name, macro.definition);
  return lines;
}

std::vector<std::string> withLateMacros(std::vector<std::string> words) {
  // -imacros and -include-pch come before every -include, and may ask for a macro.
  for (const std::string &word : words)
    if (word.starts_with("-imacros") || word.starts_with("-include-pch"))
      return words;
  std::vector<std::string> others;
  const std::string lines = lateMacroLines(words, others);
  if (lines.empty())
    return words;
  // Not the user's text: edits and lists of included files leave it out, as they do for macros of the command line.
  const std::optional<std::filesystem::path> file =
      keptMacros("#pragma once\n#pragma GCC system_header\n" + lines);
  if (!file)
    return words;
  others.insert(others.begin(),
                {"-include", file->string()}); // a file that the user includes may ask for them
  return others;
}

} // namespace heddle
