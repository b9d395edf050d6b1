// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include "support/MessageHeader.h"

#include <algorithm>
#include <ostream>
#include <set>

namespace heddle {
namespace {

struct SeverityLook {
  const char *word;
  const char *colour;
};

SeverityLook lookOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return {"error", "\033[1;31m"};
  case Severity::Warning: return {"warning", "\033[1;35m"};
  case Severity::Refusal: return {"error", "\033[1;31m"};
  case Severity::Done: return {"remark", "\033[1;32m"};
  case Severity::Kept: return {"remark", "\033[1;34m"};
  case Severity::InternalError: return {"internal error", "\033[1;31m"};
  }
  return {"error", ""};
}

/// A tab before the caret must stay a tab, else the caret is under the wrong column.
std::string paddingUpTo(const std::string &line, unsigned column) {
  std::string padding;
  for (unsigned i = 0; i + 1 < column; ++i)
    padding += i < line.size() && line[i] == '\t' ? '\t' : ' ';
  return padding;
}

std::string header(const std::string &where, SeverityLook look, const std::string &text, bool useColour) {
  const std::string before = where.empty() ? "" : where + ": ";
  if (!useColour)
    return fmt::format("{}{}: {}\n", before, look.word, text);
  const std::string bold = before.empty() ? "" : fmt::format("\033[1m{}\033[0m", before);
  return fmt::format("{}{}{}:\033[0m {}\n", bold, look.colour, look.word, text);
}

std::string shown(const SourceLocation &location) { return location.isKnown() ? location.str() : ""; }

std::string format(const Diagnostic &d, bool colour) {
  std::string out = messageHeader(shown(d.location), d.severity, d.text, colour) + snippet(d.location);
  for (const Diagnostic::Note &note : d.notes)
    out += noteHeader(shown(note.location), note.text, colour) + snippet(note.location);
  if (!d.hint.empty())
    out += fmt::format("hint: {}\n", d.hint);
  return out;
}

} // namespace

std::string messageHeader(const std::string &where, Severity severity, const std::string &text, bool colour) {
  return header(where, lookOf(severity), text, colour);
}

std::string noteHeader(const std::string &where, const std::string &text, bool colour) {
  return header(where, {"note", "\033[1;36m"}, text, colour);
}

std::string snippet(const SourceLocation &location) {
  if (location.sourceLine.empty() || location.line == 0)
    return "";
  std::string text = fmt::format("{:>5} | {}\n", location.line, location.sourceLine);
  if (location.column == 0 || location.column > location.sourceLine.size() + 1)
    return text;
  unsigned end =
      std::clamp<unsigned>(location.endColumn, location.column + 1, unsigned(location.sourceLine.size()) + 2);
  return text + fmt::format("      | {}^{}\n", paddingUpTo(location.sourceLine, location.column),
                            std::string(end - location.column - 1, '~'));
}

std::string SourceLocation::str() const {
  if (line == 0)
    return file;
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

Diagnostic &Diagnostics::add(Severity severity, SourceLocation location, std::string text) {
  list.push_back({severity, std::move(location), std::move(text), {}, {}});
  return list.back();
}

bool Diagnostics::has(Severity severity) const {
  return std::any_of(list.begin(), list.end(), [&](const Diagnostic &d) { return d.severity == severity; });
}

void print(std::ostream &out, const Diagnostic &diagnostic, bool colour) {
  out << format(diagnostic, colour);
}

void print(std::ostream &out, const Diagnostics &diagnostics, bool colour) {
  std::set<std::string> seen;
  for (const Diagnostic &d : diagnostics.all())
    if (std::string text = format(d, colour); seen.insert(text).second)
      out << text;
}

} // namespace heddle
