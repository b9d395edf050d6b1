// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Defines.h"

#include "source/Program.h"
#include "source/UserFiles.h"
#include "support/Files.h"
#include "support/LateMacros.h"
#include "support/NamesInText.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fs = std::filesystem;

namespace heddle::tune {
namespace {

bool hasWord(llvm::StringRef text, llvm::StringRef word) {
  const auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isPart(text[at - 1])) && (end == text.size() || !isPart(text[end])))
      return true;
  }
  return false;
}

/// The files of the user's that the program is compiled from, by the names that messages have for them. Nothing where not all of them can be
/// read.
std::optional<std::map<fs::path, std::string>> programTexts(const Problem &problem) {
  std::map<fs::path, std::string> texts = {{problem.file, problem.text}};
  for (const fs::path &file : problem.further)
    texts[file] = contentsOf(file);
  std::set<fs::path> inputs;
  std::error_code ignored;
  for (const auto &[file, text] : texts)
    inputs.insert(fs::canonical(file, ignored));
  const std::map<fs::path, std::string> given = texts;
  for (const auto &[file, text] : given) {
    source::CompileOptions options = problem.compile;
    if (const auto own = problem.ownFlags.find(file); file != problem.file && own != problem.ownFlags.end())
      options.userArguments.insert(options.userArguments.end(), own->second.begin(), own->second.end());
    auto parsed = source::Program::parseText(file.string(), text, options);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    if (!program)
      return std::nullopt;
    for (const fs::path &read : source::userFilesOf(**program))
      if (!inputs.contains(read))
        texts[fs::proximate(read, ignored)] = contentsOf(read);
  }
  return texts;
}

/// The names of "TILE=8|16".
std::set<std::string> namesOf(llvm::StringRef define) {
  std::set<std::string> names;
  while (!define.empty()) {
    const auto [one, others] = define.split('|');
    define = others;
    if (one.contains('='))
      names.insert(one.substr(0, one.find_first_of("=(")).trim().str());
  }
  return names;
}

} // namespace

SourceLocation ownDefinition(std::string_view text, const std::string &name) {
  std::vector<bool> asks; // of the conditions that are open
  SourceLocation location;
  for (llvm::StringRef rest = text; !rest.empty();) {
    const auto [line, others] = rest.split('\n');
    rest = others;
    ++location.line;
    if (macroDefinedIn(line) == name && std::ranges::find(asks, true) == asks.end()) {
      location.column = unsigned(line.find(name)) + 1;
      location.endColumn = location.column + unsigned(name.size());
      location.sourceLine = line.rtrim('\r').str();
      return location;
    }
    llvm::StringRef directive = line.ltrim(" \t");
    if (!directive.consume_front("#"))
      continue;
    directive = directive.ltrim(" \t");
    if (directive.starts_with("if"))
      asks.push_back(hasWord(directive, name));
    else if (directive.starts_with("elif") && !asks.empty())
      asks.back() = asks.back() || hasWord(directive, name);
    else if (directive.starts_with("endif") && !asks.empty())
      asks.pop_back();
  }
  return {};
}

Diagnostics aboutDefines(const Problem &problem, const std::vector<std::string> &defines) {
  Diagnostics warnings;
  if (defines.empty())
    return warnings;
  const auto texts = programTexts(problem);
  if (!texts) // which is reported elsewhere
    return warnings;
  for (const std::string &define : defines)
    for (const std::string &name : namesOf(define)) {
      if (isForHeaders(name))
        continue;
      bool isMentioned = false;
      for (const auto &[file, text] : *texts) {
        isMentioned = isMentioned || hasWord(text, name);
        SourceLocation own = ownDefinition(text, name);
        if (own.line == 0)
          continue;
        own.file = file.string();
        warnings
            .warning(own, fmt::format("'{}' is defined here: --define \"{}\" has no effect", name, define))
            .withHint(fmt::format("write '#ifndef {}' before this line and '#endif' after it", name));
      }
      if (!isMentioned)
        warnings.warning(
            {problem.file.string()},
            fmt::format("no file of the program mentions '{}': --define \"{}\" has no effect", name, define));
    }
  return warnings;
}

} // namespace heddle::tune
