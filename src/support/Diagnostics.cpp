// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"

#include <algorithm>
#include <ostream>
#include <set>

namespace heddle {
namespace {

struct VoiceLook {
  const char *word;
  const char *colour;
};

VoiceLook lookOf(Voice voice) {
  switch (voice) {
  case Voice::Error: return {"error", "\033[1;31m"};
  case Voice::Warning: return {"warning", "\033[1;35m"};
  case Voice::Refusal: return {"refused", "\033[1;33m"};
  case Voice::Done: return {"done", "\033[1;32m"};
  case Voice::Kept: return {"kept", "\033[1;34m"};
  case Voice::InternalError: return {"internal error", "\033[1;31m"};
  }
  return {"error", ""};
}

/// A tab before the caret must stay a tab, else the caret stands under the wrong column.
std::string paddingUpTo(const std::string &line, unsigned column) {
  std::string padding;
  for (unsigned i = 0; i + 1 < column; ++i)
    padding += i < line.size() && line[i] == '\t' ? '\t' : ' ';
  return padding;
}

std::string header(const Place &place, const char *word, const char *colour, const std::string &text,
                   bool useColour) {
  std::string where = place.isKnown() ? place.str() + ": " : "";
  return useColour ? fmt::format("\033[1m{}\033[0m{}{}:\033[0m {}\n", where, colour, word, text)
                   : fmt::format("{}{}: {}\n", where, word, text);
}

std::string format(const Diagnostic &d, bool colour) {
  VoiceLook look = lookOf(d.voice);
  std::string out = header(d.place, look.word, look.colour, d.text, colour) + snippet(d.place);
  for (const Diagnostic::Note &note : d.notes)
    out += header(note.place, "note", "\033[1;36m", note.text, colour) + snippet(note.place);
  if (!d.hint.empty())
    out += fmt::format("hint: {}\n", d.hint);
  return out;
}

} // namespace

std::string snippet(const Place &place) {
  if (place.sourceLine.empty() || place.line == 0)
    return "";
  std::string text = fmt::format("{:>5} | {}\n", place.line, place.sourceLine);
  if (place.column == 0 || place.column > place.sourceLine.size() + 1)
    return text;
  unsigned end =
      std::clamp<unsigned>(place.endColumn, place.column + 1, unsigned(place.sourceLine.size()) + 2);
  return text + fmt::format("      | {}^{}\n", paddingUpTo(place.sourceLine, place.column),
                            std::string(end - place.column - 1, '~'));
}

std::string Place::str() const {
  if (line == 0)
    return file;
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

Diagnostic &Diagnostics::add(Voice voice, Place place, std::string text) {
  list.push_back({voice, std::move(place), std::move(text), {}, {}});
  return list.back();
}

bool Diagnostics::has(Voice voice) const {
  return std::any_of(list.begin(), list.end(), [&](const Diagnostic &d) { return d.voice == voice; });
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
