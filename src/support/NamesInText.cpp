// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/NamesInText.h"

#include "support/Files.h"
#include "support/IncludeLine.h"
#include "support/Paths.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <unordered_set>

namespace heddle {
namespace {

bool isNameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string_view withoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

/// What follows the # of a line that begins so.
std::string_view directiveAt(std::string_view rest) {
  rest = withoutBlanks(rest);
  return rest.starts_with('#') ? withoutBlanks(rest.substr(1)) : std::string_view();
}

/// How long the comment or the literal is that the text begins with; 0 where it begins with neither.
size_t lengthWithoutNames(std::string_view rest) {
  if (rest[0] == '/') {
    if (rest.starts_with("//"))
      return std::min(rest.find('\n'), rest.size());
    if (rest.starts_with("/*"))
      return std::min(rest.find("*/", 2), rest.size() - 2) + 2;
  } else if (rest[0] == '"' || rest[0] == '\'') {
    size_t length = 1;
    while (length < rest.size() && rest[length] != rest[0] && rest[length] != '\n')
      length += rest[length] == '\\' ? 2 : 1;
    return std::min(length + 1, rest.size());
  }
  return 0;
}

/// Of the name or the number at the beginning of the text. A number may have letters and digit separators.
size_t lengthOfWord(std::string_view rest) {
  const bool isNumber = !isNameStart(rest[0]);
  size_t length = 1;
  while (length < rest.size() && (isNamePart(rest[length]) || (isNumber && rest[length] == '\'')))
    ++length;
  return length;
}

/// The length of the line, with those that a backslash continues.
size_t lengthOfLine(std::string_view rest) {
  size_t end = rest.find('\n');
  while (end != rest.npos && end > 0 && rest[end - 1] == '\\')
    end = rest.find('\n', end + 1);
  return std::min(end, rest.size());
}

void addNamesOfRuntimeHeader(const std::string &name, std::set<std::string> &read,
                             std::set<std::string> &names) {
  if (!read.insert(name).second)
    return;
  const std::string text = contentsOf(dataFolder("runtime") / name);
  names.merge(namesIn(text));
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const IncludeLine include = includeIn(line); include.name.starts_with("heddle/"))
      addNamesOfRuntimeHeader(include.name, read, names);
  }
}

} // namespace

std::set<std::string> namesIn(std::string_view text) {
  std::unordered_set<std::string_view> names; // most are there many times
  bool isAtStart = true;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (isAtStart) {
      const std::string_view directive = directiveAt(rest);
      isAtStart = false;
      if (!directive.empty() && !directive.starts_with("define")) {
        i += lengthOfLine(rest);
        continue;
      }
    }
    size_t length = lengthWithoutNames(rest);
    if (length == 0 && isNamePart(rest[0])) {
      length = lengthOfWord(rest);
      if (isNameStart(rest[0]))
        names.insert(rest.substr(0, length));
    }
    isAtStart = rest[0] == '\n';
    i += std::max<size_t>(length, 1);
  }
  return {names.begin(), names.end()};
}

const std::set<std::string> &namesInRuntimeHeader(const std::string &name) {
  static std::mutex access; // both sides of a file are read at the same time
  static std::map<std::string, std::set<std::string>> known;
  const std::lock_guard lock(access);
  const auto [found, isNew] = known.try_emplace(name);
  if (isNew) {
    std::set<std::string> read;
    addNamesOfRuntimeHeader(name, read, found->second);
  }
  return found->second;
}

std::string_view macroDefinedIn(std::string_view line) {
  std::string_view directive = directiveAt(line);
  constexpr std::string_view keyword = "define";
  if (!directive.starts_with(keyword))
    return {};
  directive = withoutBlanks(directive.substr(keyword.size()));
  return directive.substr(0, size_t(std::ranges::find_if_not(directive, isNamePart) - directive.begin()));
}

} // namespace heddle
