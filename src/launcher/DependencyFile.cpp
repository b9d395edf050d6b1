// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/DependencyFile.h"

#include <utility>

namespace heddle::launcher {
namespace {

/// A name in the text of a rule.
struct Name {
  size_t begin = 0, end = 0;
  std::string plain;
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// The next name at or behind `at`, on this line or one that continues it; a rule ends where the line does.
bool readName(const std::string &text, size_t at, Name &name) {
  while (at < text.size() && text[at] != '\n' && (isSpace(text[at]) || text[at] == '\\')) {
    if (text[at] == '\\') {
      const size_t end = text.find_first_not_of(" \t\r", at + 1);
      if (end == std::string::npos || text[end] != '\n')
        break; // a name that begins with an escape
      at = end;
    }
    ++at;
  }
  name = {at, at, {}};
  for (; at < text.size() && !isSpace(text[at]); ++at) {
    const char following = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '\\' && (following == '\n' || following == '\r'))
      break;
    if ((text[at] == '\\' && (following == ' ' || following == '#' || following == '\\')) ||
        (text[at] == '$' && following == '$'))
      ++at;
    name.plain += text[at];
  }
  name.end = at;
  return !name.plain.empty();
}

/// Where the prerequisites of the rule that begins at `at` begin: after the colon that a space or the end of the line follows.
size_t behindColon(const std::string &text, size_t at) {
  for (; at < text.size(); ++at)
    if (text[at] == ':' && (at + 1 == text.size() || isSpace(text[at + 1]) || text[at + 1] == '\\'))
      return at + 1;
  return std::string::npos;
}

std::string normal(const std::string &name) {
  return std::filesystem::path(name).lexically_normal().string();
}

} // namespace

std::string escapedForMake(const std::string &name) {
  std::string escaped;
  for (char c : name) {
    if (c == ' ' || c == '#')
      escaped += '\\';
    if (c == '$')
      escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string dependencyRule(const std::vector<std::string> &targets,
                           const std::set<std::filesystem::path> &files) {
  std::string rule;
  for (const std::string &target : targets)
    rule += (rule.empty() ? "" : " ") + escapedForMake(target);
  rule += ":";
  for (const std::filesystem::path &file : files)
    rule += " \\\n  " + escapedForMake(file.string());
  return rule + "\n";
}

std::string rewrittenDependencies(const std::string &rules, const std::map<std::string, std::string> &renamed,
                                  const std::vector<std::string> &added) {
  std::map<std::string, std::string> byNormalName;
  for (const auto &[from, to] : renamed)
    byNormalName[normal(from)] = to;
  std::string result;
  std::set<std::string> present;
  size_t copied = 0, count = 0;
  bool hasEmptyRules = false;
  for (size_t at = behindColon(rules, 0); at != std::string::npos; at = behindColon(rules, at)) {
    bool isEmpty = true;
    size_t previousEnd = at;
    for (Name name; readName(rules, at, name); at = name.end) {
      isEmpty = false;
      const size_t beforeName = std::exchange(previousEnd, name.end);
      const auto other = byNormalName.find(normal(name.plain));
      const bool isRenamed = other != byNormalName.end();
      if (!present.insert(normal(isRenamed ? other->second : name.plain)).second && count == 0) {
        result += rules.substr(copied, beforeName - copied); // GCC also lists files that #line names
        copied = name.end;
        continue;
      }
      if (!isRenamed)
        continue;
      result += rules.substr(copied, name.begin - copied) + escapedForMake(other->second);
      copied = name.end;
    }
    hasEmptyRules |= count > 0 && isEmpty;
    if (count++ == 0) {
      result += rules.substr(copied, at - copied);
      copied = at;
      for (const std::string &name : added)
        if (!present.contains(normal(name)))
          result += " \\\n  " + escapedForMake(name);
    }
    // On to the next line that is not continued.
    at = std::min(rules.find('\n', at), rules.size());
  }
  result += rules.substr(copied);
  if (hasEmptyRules)
    for (const std::string &name : added)
      if (!present.contains(normal(name)))
        result += (result.ends_with('\n') ? "" : "\n") + escapedForMake(name) + ":\n";
  return result;
}

} // namespace heddle::launcher
