// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::source {

/// Text for an edit, with the line of the file that each of its lines comes from (0 for a new one). Without
/// `origins` all of it is new.
struct EditText {
  EditText(std::string text = {}) : text(std::move(text)) {}
  EditText(const char *text) : text(text) {}
  EditText(std::string text, std::vector<unsigned> origins)
      : text(std::move(text)), origins(std::move(origins)) {}

  std::string text;
  std::vector<unsigned> origins = {};
};

/// CUDA text in the making: lines that have no depth yet, and remember where they come from.
///
///     Code body = text.statement(loop->getBody());         x += a[i];          (line 12)
///     Code all = Code::braces("if (i < n)", body, "  ");   if (i < n) {
///                                                            x += a[i];        (line 12)
///                                                          }
///
/// A line begins with the white space by which it is deeper than the code as a whole. Its position is given once,
/// when all of it is put together: `at`, `lines`. So nothing else has to indent text.
class Code {
public:
  struct Line {
    std::string text;
    unsigned origin = 0; ///< the line of the file that it was written in; 0 for a new one
    unsigned lacks = 0;  ///< by how many columns it is less deep than the code as a whole
    bool isFixed =
        false; ///< stays at its column: what is inside a string, a directive at the line's beginning
  };

  Code() = default;
  Code(std::string_view text); ///< new lines; a line end after the last one does not count
  Code(const std::string &text) : Code(std::string_view(text)) {}
  Code(const char *text) : Code(std::string_view(text)) {}

  /// What is in the file: its first line begins at its first token, the others have the depth `indent`
  /// in front of what is their own.
  static Code written(const EditText &text, std::string_view indent);
  /// The same for whole lines; `origin` is the number of the first.
  static Code writtenLines(std::string_view text, std::string_view indent, unsigned origin);
  static Code blankLine() { return "\n"; }
  /// The head and a block after it.
  static Code braces(const Code &head, const Code &body, const std::string &step = "  ");

  bool empty() const { return list.empty(); }
  bool isOneLine() const { return list.size() == 1; }
  bool isBlank() const; ///< no word in it
  const std::vector<Line> &all() const { return list; }

  /// Below, as further lines.
  Code &add(const Code &below);
  Code &add(const Line &line);
  template <typename... Arguments>
  Code &addf(fmt::format_string<Arguments...> pattern, Arguments &&...arguments) {
    return add(fmt::format(pattern, std::forward<Arguments>(arguments)...));
  }
  /// Below and one step deeper.
  Code &addDeeper(const Code &below, const std::string &step = "  ");
  /// After the end of the last line.
  Code &join(const Code &behind);
  Code deeper(const std::string &step = "  ") const;
  Code shallower(size_t columns) const;
  /// Without white space, and lines of it, at the end.
  Code &trimRight();
  /// New lines come from this line of the file, too.
  Code &from(unsigned line);

  /// The lines that are directives of the preprocessor; those that are not.
  Code pragmas() const;
  Code withoutPragmas() const;
  /// Takes those off the end, and gives them.
  Code takePragmasAtEnd();
  /// Takes the empty lines off the front, and gives them.
  Code takeBlankLines();
  Code withoutBlankStart() const;

  /// To are where a line's text begins that is indented by `indent`: the first line goes without.
  EditText at(const std::string &indent) const;
  /// As text: the same, and whole lines.
  std::string str(const std::string &indent = {}) const;
  std::string lines(const std::string &indent) const;

private:
  std::string placed(const Line &line, const std::string &indent) const;
  std::vector<Line> list;
};

} // namespace heddle::source
