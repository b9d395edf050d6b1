// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <deque>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Where a message points: file, line and column count from 1; 0 means "not known".
/// `sourceLine` is the text of that line where the reporter has it; it is shown with a caret under
/// columns [column, endColumn).
struct SourceLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned endColumn = 0;
  std::string sourceLine;

  bool isKnown() const { return !file.empty(); }
  /// "file:line:col", leaving out what is not known.
  std::string str() const;
};

/// How severe a message is. An error says the input is wrong; a refusal that the input is fine but what was asked of
/// it would break it; a remark that something was done or kept, and why; an internal error that the fault is
/// ours.
enum class Severity { Error, Warning, Refusal, Done, Kept, InternalError };

/// One message with its location, the other locations that explain it, and a hint where one is likely right.
struct Diagnostic {
  struct Note {
    SourceLocation location;
    std::string text;
  };

  Severity severity = Severity::Error;
  SourceLocation location;
  std::string text;
  std::vector<Note> notes;
  std::string hint;

  Diagnostic &note(SourceLocation where, std::string what) {
    notes.push_back({std::move(where), std::move(what)});
    return *this;
  }
  Diagnostic &withHint(std::string what) {
    hint = std::move(what);
    return *this;
  }
};

/// Collects messages. Library code adds to it and never prints; the tool prints it.
class Diagnostics {
public:
  Diagnostic &add(Severity severity, SourceLocation location, std::string text);
  Diagnostic &error(SourceLocation location, std::string text) {
    return add(Severity::Error, std::move(location), std::move(text));
  }
  Diagnostic &warning(SourceLocation location, std::string text) {
    return add(Severity::Warning, std::move(location), std::move(text));
  }
  Diagnostic &refuse(SourceLocation location, std::string text) {
    return add(Severity::Refusal, std::move(location), std::move(text));
  }

  const std::deque<Diagnostic> &all() const { return list; }
  bool has(Severity severity) const;
  bool empty() const { return list.empty(); }

private:
  std::deque<Diagnostic> list; ///< which keeps its elements in place: callers hold one while others are added
};

/// Prints each distinct message once, in the order given, as
///     file:line:col: error: what is wrong
///        42 |     the source line
///           |     ^~~~
///     hint: what to do
void print(std::ostream &out, const Diagnostics &diagnostics, bool colour);
void print(std::ostream &out, const Diagnostic &diagnostic, bool colour);

/// The source line of a place with a caret under its columns, two lines; nothing where it is not known.
std::string snippet(const SourceLocation &location);

} // namespace heddle
