// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moving text to another depth sounds like adding spaces, and is nearly that. Three kinds of lines are not to
// be moved: those inside a raw string, or after a backslash inside any string, for which white space is
// content; `#` at the beginning of a line, which its author keeps there on purpose; and empty lines. A line
// that is less deep than its statement (a label, an argument list that was pulled to the left) keeps its
// distance to it.
#include "source/Code.h"

#include <algorithm>

namespace heddle::source {
namespace {

bool isBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::string_view indentOf(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Follows C++ text far enough to know whether a line begins inside a string.
class StringScanner {
public:
  /// For each line: whether it begins inside a string.
  static std::vector<bool> linesInStrings(std::string_view text) {
    StringScanner scanner(text);
    scanner.scan();
    return scanner.inside;
  }

private:
  explicit StringScanner(std::string_view text) : text(text) { inside.push_back(false); }

  void scan() {
    while (at < text.size()) {
      if (starts("//"))
        skipUntil("\n", false, 0);
      else if (starts("/*"))
        skipUntil("*/", false, 2);
      else if (text[at] == '"')
        isRaw() ? skipRaw() : skipQuoted('"');
      else if (text[at] == '\'' && !isDigitSeparator())
        skipQuoted('\'');
      else
        step(false);
    }
  }

  bool starts(std::string_view word) const { return text.substr(at, word.size()) == word; }
  void step(bool isString) {
    if (text[at++] == '\n')
      inside.push_back(isString);
  }
  void skipUntil(std::string_view end, bool isString, size_t alsoSkip) {
    const size_t stop = std::min(text.find(end, at + (isString ? 0 : alsoSkip)), text.size());
    const size_t last = std::min(stop + (isString ? end.size() : alsoSkip), text.size());
    while (at < last)
      step(isString);
  }
  bool isRaw() const { return at > 0 && text[at - 1] == 'R'; }
  void skipRaw() {
    const size_t open = text.find('(', at);
    if (open == std::string_view::npos)
      return step(false);
    const std::string end = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    skipUntil(end, true, 0);
  }
  void skipQuoted(char quote) {
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n';) {
      if (text[at] == '\\' && at + 1 < text.size())
        at += text.substr(at + 1, 2) == "\r\n" && at + 2 < text.size() ? 2 : 1;
      step(true);
    }
    if (at < text.size())
      step(false);
  }
  /// The ' of 1'000'000.
  bool isDigitSeparator() const {
    return at > 0 && isalnum(static_cast<unsigned char>(text[at - 1])) && at + 1 < text.size() &&
           isalnum(static_cast<unsigned char>(text[at + 1]));
  }

  std::string_view text;
  size_t at = 0;
  std::vector<bool> inside;
};

/// A line as it is in the file, to be moved with a statement of depth `indent`.
Code::Line writtenLine(std::string_view line, std::string_view indent, unsigned origin, bool isInString) {
  if (isInString || line.starts_with('#'))
    return {std::string(line), origin, 0, true};
  if (isBlankLine(line))
    return {"", origin, 0, false};
  const std::string_view own = indentOf(line);
  const size_t common = size_t(
      std::ranges::mismatch(own.substr(0, std::min(own.size(), indent.size())), indent).in1 - own.begin());
  return {std::string(line.substr(common)), origin, unsigned(indent.size() - common), false};
}

} // namespace

Code::Code(std::string_view text) {
  if (text.empty())
    return;
  const std::vector<bool> inside = StringScanner::linesInStrings(text);
  std::vector<std::string_view> lines = split(text);
  if (lines.back().empty())
    lines.pop_back();
  for (size_t i = 0; i < lines.size(); ++i)
    list.push_back({std::string(lines[i]), 0, 0, inside[i]});
}

Code Code::written(const EditText &text, std::string_view indent) {
  Code code;
  if (text.text.empty())
    return code;
  const std::vector<bool> inside = StringScanner::linesInStrings(text.text);
  const std::vector<std::string_view> lines = split(text.text);
  const auto originOf = [&](size_t line) { return line < text.origins.size() ? text.origins[line] : 0; };
  code.list.push_back({std::string(lines.front()), originOf(0), 0, false});
  for (size_t i = 1; i < lines.size(); ++i)
    code.list.push_back(writtenLine(lines[i], indent, originOf(i), inside[i]));
  return code;
}

Code Code::writtenLines(std::string_view text, std::string_view indent, unsigned origin) {
  Code code;
  if (text.empty())
    return code;
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  for (std::string_view line : split(text)) {
    code.list.push_back(writtenLine(line, indent, origin, false));
    origin += origin != 0;
  }
  return code;
}

Code Code::braces(const Code &head, const Code &body, const std::string &step) {
  Code code = head;
  return code.join(head.empty() ? "{" : " {").addDeeper(body, step).add("}");
}

bool Code::isBlank() const {
  return std::ranges::all_of(list, [](const Line &line) { return isBlankLine(line.text); });
}

Code &Code::add(const Code &below) {
  list.insert(list.end(), below.list.begin(), below.list.end());
  return *this;
}

Code &Code::add(const Line &line) {
  list.push_back(line);
  return *this;
}

Code &Code::addDeeper(const Code &below, const std::string &step) { return add(below.deeper(step)); }

Code &Code::join(const Code &behind) {
  if (list.empty() || behind.empty())
    return add(behind);
  list.back().text += behind.list.front().text;
  if (!list.back().origin)
    list.back().origin = behind.list.front().origin;
  list.insert(list.end(), behind.list.begin() + 1, behind.list.end());
  return *this;
}

Code Code::deeper(const std::string &step) const {
  Code code = *this;
  for (Line &line : code.list) {
    if (line.isFixed || line.text.empty())
      continue;
    const unsigned taken = std::min(line.lacks, unsigned(step.size()));
    line.lacks -= taken;
    line.text.insert(0, step.substr(taken));
  }
  return code;
}

Code Code::shallower(size_t columns) const {
  Code code = *this;
  for (Line &line : code.list) {
    const size_t own = std::min(columns, indentOf(line.text).size());
    line.text.erase(0, line.isFixed ? 0 : own);
    line.lacks += unsigned(columns - own);
  }
  return code;
}

Code &Code::trimRight() {
  while (!list.empty() && isBlankLine(list.back().text))
    list.pop_back();
  if (!list.empty())
    list.back().text.resize(list.back().text.find_last_not_of(" \t\r") + 1);
  return *this;
}

Code &Code::from(unsigned origin) {
  for (Line &line : list)
    if (!line.origin)
      line.origin = origin;
  return *this;
}

namespace {

/// For each line: whether it is (a continued part of) a directive of the preprocessor.
std::vector<bool> directiveLines(const std::vector<Code::Line> &lines) {
  std::vector<bool> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = lines[i].text;
    const bool isContinued = i > 0 && found.back() && std::string_view(lines[i - 1].text).ends_with('\\');
    found.push_back(isContinued || text.substr(indentOf(text).size()).starts_with('#'));
  }
  return found;
}

} // namespace

Code Code::pragmas() const {
  Code code;
  const std::vector<bool> isDirective = directiveLines(list);
  for (size_t i = 0; i < list.size(); ++i)
    if (isDirective[i])
      code.list.push_back(list[i]);
  return code;
}

Code Code::withoutPragmas() const {
  Code code;
  const std::vector<bool> isDirective = directiveLines(list);
  for (size_t i = 0; i < list.size(); ++i)
    if (!isDirective[i])
      code.list.push_back(list[i]);
  return code;
}

Code Code::takePragmasAtEnd() {
  const std::vector<bool> isDirective = directiveLines(list);
  size_t first = list.size();
  while (first > 0 && isDirective[first - 1])
    --first;
  Code taken;
  taken.list.assign(list.begin() + long(first), list.end());
  list.resize(first);
  return taken;
}

Code Code::takeBlankLines() {
  Code blank;
  const auto first = std::ranges::find_if(list, [](const Line &line) { return !isBlankLine(line.text); });
  blank.list.assign(list.begin(), first);
  list.erase(list.begin(), first);
  return blank;
}

Code Code::withoutBlankStart() const {
  Code code = *this;
  code.takeBlankLines();
  return code;
}

std::string Code::placed(const Line &line, const std::string &indent) const {
  if (line.isFixed || line.text.empty())
    return line.text;
  return indent.substr(0, indent.size() - std::min(indent.size(), size_t(line.lacks))) + line.text;
}

EditText Code::at(const std::string &indent) const {
  EditText text;
  for (const Line &line : list) {
    text.text += &line == &list.front() ? line.text : "\n" + placed(line, indent);
    text.origins.push_back(line.origin);
  }
  return text;
}

std::string Code::str(const std::string &indent) const { return at(indent).text; }

std::string Code::lines(const std::string &indent) const {
  std::string text;
  for (const Line &line : list)
    text += placed(line, indent) + "\n";
  return text;
}

} // namespace heddle::source
