// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"
#include "support/Paths.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// The files of a program as one text, so that a directive sees a kernel with all its launches, and the way back to the files:
///
///     // -- begin of src/main.cu --
///     #line 1 "src/main.cu"
///     int main() { ... }
///     // -- end of src/main.cu --
///     #line 2 "program.cu"
///
/// A header that a directive changes takes the place of its #include in the same way, once: in the rest of the text the header
/// reads as if it was empty, as its include guard makes it. #include "..." of files in other folders are written as seen
/// from the folder of the text, and get back what they were.
class JoinedText {
public:
  struct Input {
    std::filesystem::path file;
    std::string text;
  };
  /// `file` need not exist: it is the name that the text has. Inputs are to be added to a text of this object's choice.
  JoinedText(std::filesystem::path file, std::vector<Input> inputs);

  const std::filesystem::path &file() const { return path; }
  source::MappedText text() const;

  /// What takes the place of line `line` of the text, an #include of the header.
  source::InsertedFile embed(const std::filesystem::path &header, const std::string &given,
                             const std::string &text, unsigned line);
  /// Flags for Clang, by which headers that are in the text are not read again.
  std::vector<std::string> arguments(const std::string &text) const;

  /// The files that are in the text, by the paths they were given with; nothing where directives have moved or copied a
  /// part that is a file of its own.
  std::optional<std::map<std::filesystem::path, std::string>> split(const std::string &text) const;

private:
  struct Part {
    std::filesystem::path file;
    std::string given;
    std::string include; ///< the line that it takes the place of; empty for an input
    std::map<std::string, std::string>
        linesMoved;          ///< #include lines as they are in the text, and as they were
    bool endsInLine = false; ///< its last line has no line end
    std::string beginning() const, end() const;
  };
  class Splitter;

  source::InsertedFile inserted(const Part &part, const source::LineOrigin &behind) const;
  Part partFor(const std::filesystem::path &file, const std::string &given) const;

  std::filesystem::path path;
  std::vector<Part> inputs;
  std::vector<Part> headers; ///< all that ever were in the text; some may not be any more
  TemporaryFolder folder;    ///< of an empty file
};

} // namespace heddle::transform
