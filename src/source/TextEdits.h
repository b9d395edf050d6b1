// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"
#include "support/Diagnostics.h"

#include <clang/Basic/SourceLocation.h>

#include <string>
#include <variant>
#include <vector>

namespace heddle::source {

class Unit;

/// Preprocessed tokens [begin, end), counted from the start of the file's expansion, and the text for them.
/// An insertion has begin == end; `afterPrevious` says whether it clings to the token before or the one
/// after it.
struct TokenEdit {
  size_t begin = 0, end = 0;
  std::string text;
  bool afterPrevious = false;
  std::vector<unsigned> origins = {}; ///< of the text's lines, as in EditText
};

/// Bytes [begin, end) of one file and the text for them.
struct TextEdit {
  clang::FileID file;
  unsigned begin = 0, end = 0;
  std::string text;
  std::vector<unsigned> origins = {}; ///< of the text's lines, as in EditText
};

/// Turns edits of preprocessed tokens into edits of the written text; sorted by file and place, none
/// overlapping. Macros that an edit cuts through are expanded in place.
std::variant<std::vector<TextEdit>, Diagnostic> textEdits(const Unit &unit, std::vector<TokenEdit> edits);

/// The tokens' text after preprocessing, spaced as written where that is known, with the edits (which must
/// lie inside) applied.
std::string expandedText(const Unit &unit, size_t begin, size_t end,
                         const std::vector<TokenEdit> &edits = {});

/// The same for the tokens of `range`; a refusal where a pragma, which leaves no token, is among them.
std::variant<std::string, Diagnostic> expandedOrRefused(const Unit &unit, const TokenEdit &range,
                                                        const std::vector<TokenEdit> &edits = {});

/// The preprocessed tokens of an AST range; empty (begin == end) where it has none.
TokenEdit tokensOf(const Unit &unit, clang::SourceRange range);

/// What follows the range in its own last token: ">" for the inner type of `Box<Box<int>>`, which ends in the
/// middle of a `>>`. Empty nearly always.
std::string restOfSplitToken(const Unit &unit, clang::SourceRange range);

/// Applies edits of one file to a slice of its text that starts at byte `sliceBegin`, in line `firstLine`.
/// New lines come from the line that their edit begins in, unless the edit says otherwise.
ChangedText applied(const std::vector<TextEdit> &edits, std::string_view slice, unsigned sliceBegin,
                    unsigned firstLine);

} // namespace heddle::source
