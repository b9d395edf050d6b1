// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"
#include "source/TextEdits.h"

#include <clang/Basic/SourceLocation.h>

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace heddle::source {

/// A stretch of text that was marked, taken apart: plain text, and marked stretches inside it, in order.
struct MarkedPart {
  unsigned id = 0;
  struct Piece {
    EditText text;                    ///< where `part` is null
    std::unique_ptr<MarkedPart> part; ///< a marked stretch
  };
  std::vector<Piece> pieces;

  /// All of it as one text.
  EditText whole() const;
};

/// The user's text of a range, with some parts replaced and some stretches marked, so that they can be found
/// again and put together in another way. Comments and layout between the stretches stay with them. Marks may
/// lie inside macros; these are then expanded in place.
class MarkedText {
public:
  MarkedText(const Unit &unit, clang::SourceRange whole) : unit(unit), whole(whole) {}

  void replace(clang::SourceRange range, std::string text);
  /// Marks a range. Ranges nest; of two that begin (or end) together the one marked first is the outer one.
  void mark(clang::SourceRange range, unsigned id);
  /// Marks what is between two tokens.
  void markBetween(clang::SourceLocation first, clang::SourceLocation last, unsigned id);

  /// The marked text as a tree (its root has id `none`), or the reason why it cannot be had.
  static constexpr unsigned none = ~0u;
  std::variant<std::unique_ptr<MarkedPart>, Diagnostic> take() const;

private:
  /// What is inserted between two tokens: clinging to the one before, and to the one behind.
  struct Insertion {
    std::string behindPrevious, beforeNext;
  };
  const Unit &unit;
  clang::SourceRange whole;
  std::vector<TokenEdit> replacements;
  std::map<size_t, Insertion> insertions; ///< by token
};

} // namespace heddle::source
