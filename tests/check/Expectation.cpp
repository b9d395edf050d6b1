// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Expectation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace heddle::check::test {
namespace {

using Report = Expectation::Report;

std::vector<std::string> split(const std::string &text, const std::string &at) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t to; (to = text.find(at, from)) != std::string::npos; from = to + at.size())
    parts.push_back(text.substr(from, to - from));
  parts.push_back(text.substr(from));
  return parts;
}

std::vector<std::string> words(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> list;
  for (std::string word; in >> word;)
    list.push_back(word);
  return list;
}

/// "race/shared at 8 and 9"
Report parseReport(const std::string &text) {
  std::vector<std::string> list = words(text);
  if (list.empty() || !ruleOf(list[0]))
    throw std::runtime_error("no such rule: '" + text + "'");
  Report reported{list[0], {}};
  for (size_t i = 1; i + 1 < list.size(); i += 2) {
    if (list[i] != (i == 1 ? "at" : "and"))
      throw std::runtime_error("'at LINE and LINE' is expected in '" + text + "'");
    reported.lines.push_back(unsigned(std::stoul(list[i + 1])));
  }
  return reported;
}

std::vector<Report> parseList(const std::string &text, const std::string &at) {
  std::vector<Report> list;
  for (const std::string &part : split(text, at))
    list.push_back(parseReport(part));
  return list;
}

std::set<unsigned> linesOf(const Finding &finding) {
  std::set<unsigned> lines = {finding.location.line};
  for (const Finding::Note &note : finding.notes)
    if (note.location.isKnown() && note.location.file == finding.location.file)
      lines.insert(note.location.line);
  return lines;
}

/// The finding's own location is on one of the lines, and each line is among its places.
bool isReported(const Report &reported, const Finding &finding) {
  if (reported.rule != idOf(finding.rule))
    return false;
  if (reported.lines.empty())
    return true;
  const std::set<unsigned> lines = linesOf(finding);
  return std::count(reported.lines.begin(), reported.lines.end(), finding.location.line) &&
         std::all_of(reported.lines.begin(), reported.lines.end(),
                     [&](unsigned line) { return lines.count(line); });
}

bool isAnyOf(const std::vector<Report> &list, const Finding &finding) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Report &reported) { return isReported(reported, finding); });
}

std::string describe(const Report &reported) {
  return reported.lines.empty() ? reported.rule
                                : fmt::format("{} at {}", reported.rule, fmt::join(reported.lines, " and "));
}

std::string describe(const Finding &finding) {
  std::string text = fmt::format("{}: {}: {} [{}]\n", nameOf(classOf(finding.rule)), finding.location.str(),
                                 finding.text, idOf(finding.rule));
  for (const Finding::Note &note : finding.notes)
    text += fmt::format("    {}: {}\n", note.location.str(), note.text);
  return text;
}

} // namespace

Expectation parseExpectation(const std::vector<std::string> &head) {
  Expectation expectation;
  if (head.empty() || !head[0].starts_with("// expect: "))
    throw std::runtime_error("the first line says no verdict");
  if (std::string text = head[0].substr(11); text != "clean")
    for (const std::string &item : split(text, ", "))
      expectation.expected.push_back(parseList(item, " or "));
  for (const std::string &line : head) {
    if (line.starts_with("// also: "))
      expectation.also = parseList(line.substr(9), ", ");
    if (line.starts_with("// hint: "))
      expectation.hint = line.substr(9);
    if (line.starts_with("// check: "))
      expectation.options = words(line.substr(10));
    if (line.starts_with("// static: "))
      expectation.staticOptions = words(line.substr(11));
  }
  return expectation;
}

Expectation readExpectation(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::vector<std::string> head;
  for (std::string line; std::getline(in, line) && line.starts_with("// ");)
    head.push_back(line);
  try {
    return parseExpectation(head);
  } catch (const std::exception &problem) {
    throw std::runtime_error(file.filename().string() + ": " + problem.what());
  }
}

std::string disagreement(const Expectation &expectation, const std::vector<Finding> &findings) {
  std::string text;
  std::set<const Finding *> asExpected;
  for (const Expectation::AnyOf &item : expectation.expected) {
    const size_t before = asExpected.size();
    for (const Report &reported : item) {
      size_t times = 0;
      for (const Finding &finding : findings)
        if (isReported(reported, finding))
          ++times, asExpected.insert(&finding);
      if (times > 1)
        text += fmt::format("reported more than once: {}\n", describe(reported));
    }
    if (asExpected.size() == before)
      text += fmt::format("not found: {}\n", describe(item[0]));
  }
  for (const Finding *finding : asExpected)
    if (finding->hint.find(expectation.hint) == std::string::npos)
      text += fmt::format("another hint: '{}'\n", finding->hint);
  for (const Finding &finding : findings)
    if (!asExpected.count(&finding) && !isAnyOf(expectation.also, finding))
      text += "not expected: " + describe(finding);
  if (!text.empty())
    for (const Finding *finding : asExpected)
      text += "as expected: " + describe(*finding);
  return text;
}

} // namespace heddle::check::test
