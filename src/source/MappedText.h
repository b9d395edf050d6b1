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

/// Where a line of a text comes from.
struct LineOrigin {
  std::string file; ///< empty: the file as it was given; else one that is in place of its #include
  unsigned line = 0;

  bool operator==(const LineOrigin &) const = default;
};

/// The text of a file that takes the place of a line, and where its lines come from: a line of that file each, or
/// 0 for one that belongs to the line it replaces.
struct InsertedFile {
  std::string name;
  std::string text;
  std::vector<unsigned> lines;
  std::string given; ///< the file as it is
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
  /// The line reads as the one that it comes from, at whatever depth.
  bool readsAsGiven(unsigned line) const;
  /// Where each line of the text comes from.
  std::vector<LineOrigin> lineOrigins() const;
  /// The same for a place, which may be in an inserted file. A line that reads as it did, at whatever depth, keeps its columns; for another one the location is the whole
  /// line.
  SourceLocation given(const SourceLocation &location) const;

  /// A line to be found again, whatever changes: the first one that comes from it or from a line below it.
  void follow(unsigned line) { followedNow = line; }
  std::optional<unsigned> followed() const { return followedNow; }

  /// Goes on with what became of the text.
  void change(ChangedText now);
  void removeLine(unsigned line);
  /// Other lines in the place of one: they all come from it.
  void replaceLine(unsigned line, const std::string &by);
  /// A file in the place of the line that includes it.
  void replaceLine(unsigned line, const InsertedFile &by);

private:
  struct Origin {
    unsigned line = 0;
    unsigned file = 0; ///< of `files`
  };
  struct File {
    std::string name;
    std::vector<std::string> lines;
  };
  Origin originOf(unsigned line) const;

  std::vector<std::shared_ptr<const File>> files; ///< the first is the one that was given
  std::string text;
  std::vector<Origin> origins; ///< by line of `text`
  std::optional<unsigned> followedNow;
};

} // namespace heddle::source
