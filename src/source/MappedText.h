// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::source {

/// What became of a text: the new one and, for each of its lines, the number of the old line it comes from.
struct ChangedText {
  std::string text;
  std::vector<unsigned> lines;
};

/// The text of a file that is changed step by step, with the way back: which line of the file as it was given
/// each line comes from. Messages about the text of any step name places of the file that the user has.
class MappedText {
public:
  explicit MappedText(std::string given);

  const std::string &str() const { return text; }
  bool operator==(const MappedText &other) const { return text == other.text; }
  /// The line of the file as given, for a line of the text as it is; both count from 1.
  unsigned givenLine(unsigned line) const;
  /// The same for a place. A line that reads as it did, at whatever depth, keeps its columns; for another one
  /// the place is the whole line.
  SourceLocation given(const SourceLocation &location) const;

  /// A line to be found again, whatever changes: the first one that comes from it or from a line below it.
  void follow(unsigned line) { followedNow = line; }
  std::optional<unsigned> followed() const { return followedNow; }

  /// Goes on with what became of the text.
  void change(ChangedText now);
  void removeLine(unsigned line);
  /// Other lines in the place of one: they all come from it.
  void replaceLine(unsigned line, const std::string &by);

private:
  std::shared_ptr<const std::vector<std::string>> givenLines;
  std::string text;
  std::vector<unsigned> origins; ///< by line of `text`
  std::optional<unsigned> followedNow;
};

} // namespace heddle::source
