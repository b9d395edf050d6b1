// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks are put into the text as control characters that no source holds, together with the replacements, by
// the machinery that knows about macros; what comes out is taken apart along them.
#include "source/MarkedText.h"

#include "source/Render.h"
#include "source/Unit.h"

#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>

using namespace clang;

namespace heddle::source {
namespace {

constexpr char opening = '\x01', closing = '\x02', ending = '\x03';

std::string openingMark(unsigned id) { return opening + std::to_string(id) + ending; }
std::string closingMark(unsigned id) { return closing + std::to_string(id) + ending; }

/// Reads marked text; `at` is after the opening mark of `part`.
class MarkReader {
public:
  explicit MarkReader(const EditText &marked) : marked(marked), text(marked.text) {}

  std::unique_ptr<MarkedPart> read(unsigned id) {
    auto part = std::make_unique<MarkedPart>();
    part->id = id;
    for (;;) {
      size_t next = text.find_first_of("\x01\x02", at);
      if (size_t end = std::min(next, text.size()); end > at)
        part->pieces.push_back({pieceUntil(end), nullptr});
      if (next == std::string::npos)
        return part;
      size_t end = text.find(ending, next);
      unsigned number = unsigned(std::stoul(text.substr(next + 1, end - next - 1)));
      at = end + 1;
      if (text[next] == closing)
        return part;
      part->pieces.push_back({{}, read(number)});
    }
  }

private:
  EditText pieceUntil(size_t end) {
    EditText piece(text.substr(at, end - at));
    const size_t below = size_t(std::ranges::count(piece.text, '\n'));
    for (size_t i = line; i <= line + below && i < marked.origins.size(); ++i)
      piece.origins.push_back(marked.origins[i]);
    line += below;
    return piece;
  }

  const EditText &marked;
  const std::string &text;
  size_t at = 0, line = 0;
};

/// Puts texts after each other, with the origins of their lines.
class Joiner {
public:
  void add(const EditText &more) {
    if (!more.origins.empty()) {
      all.origins.resize(lines + 1);
      if (isLineStart || !all.origins.back())
        all.origins.back() = more.origins.front();
      all.origins.insert(all.origins.end(), more.origins.begin() + 1, more.origins.end());
    }
    all.text += more.text;
    lines += size_t(std::ranges::count(more.text, '\n'));
    const size_t last = more.text.rfind('\n');
    const bool isBlank = more.text.find_first_not_of(" \t", last + 1) == std::string::npos; // npos + 1 is 0
    isLineStart = isBlank && (isLineStart || last != std::string::npos);
  }
  void add(const MarkedPart &part) {
    for (const MarkedPart::Piece &piece : part.pieces)
      piece.part ? add(*piece.part) : add(piece.text);
  }

  EditText all;

private:
  size_t lines = 0;
  bool isLineStart = true;
};

} // namespace

EditText MarkedPart::whole() const {
  Joiner joined;
  joined.add(*this);
  return joined.all;
}

void MarkedText::replace(SourceRange range, std::string text) {
  TokenEdit edit = tokensOf(unit, range);
  edit.text = std::move(text);
  if (edit.begin != edit.end)
    replacements.push_back(std::move(edit));
}

void MarkedText::mark(SourceRange range, unsigned id) {
  TokenEdit tokens = tokensOf(unit, range);
  insertions[tokens.begin].beforeNext += openingMark(id);
  std::string &end = insertions[tokens.end].behindPrevious;
  end = closingMark(id) + end;
}

void MarkedText::markBetween(clang::SourceLocation first, clang::SourceLocation last, unsigned id) {
  insertions[tokensOf(unit, {first, first}).end].behindPrevious += openingMark(id);
  std::string &end = insertions[tokensOf(unit, {last, last}).begin].beforeNext;
  end = closingMark(id) + end;
}

std::variant<std::unique_ptr<MarkedPart>, Diagnostic> MarkedText::take() const {
  std::vector<TokenEdit> edits = replacements;
  for (const auto &[token, insertion] : insertions) {
    if (!insertion.behindPrevious.empty())
      edits.push_back({token, token, insertion.behindPrevious, true});
    if (!insertion.beforeNext.empty())
      edits.push_back({token, token, insertion.beforeNext, false});
  }
  std::variant<EditText, Diagnostic> rendered = renderTokens(unit, whole, std::move(edits));
  if (auto *refused = std::get_if<Diagnostic>(&rendered))
    return *refused;
  return MarkReader(std::get<EditText>(rendered)).read(none);
}

} // namespace heddle::source
