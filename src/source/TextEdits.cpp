// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From preprocessed tokens back to the text the user wrote.
//
// Clang's AST speaks of preprocessed tokens. An edit names an interval of them; the text it must change
// depends on where its two ends come from:
//
//   a[threadIdx.x]          plain tokens              change the very bytes
//   a[TID]                  covers a whole macro use  change the bytes of the use ("TID")
//   AT(a, threadIdx.x)      inside an argument that   change the argument where the macro stays
//                           the macro uses once
//   SQUARE(threadIdx.x)     an argument used twice,   put the macro's tokens in its stead, with the edit made
//   LOAD_TILE               or the macro's own body   among them ("expanded in place")
//
// Two things do not show in the tokens. An argument may also be pasted into another name (`v_##i`): then the
// macro expands too. (One that is also shown as text, `#i`, stays in place: the string is meant to follow the
// code.) And a pragma leaves no token behind: where expanding would drop one, the edit is refused.
//
// Edits that end up in the same macro use are gathered and made together. TokenBuffer knows the outermost
// macro use of every token, which is all that is needed: what is nested inside it is expanded along with it.
#include "source/TextEdits.h"

#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <cstring>
#include <functional>

using namespace clang;

namespace heddle::source {

using syntax::Token; // the written and the preprocessed ones, not the lexer's

namespace {

/// A stretch of written text that is one thing for the preprocessor: a plain token, or a whole macro use.
struct Piece {
  FileID file;
  unsigned textBegin = 0, textEnd = 0; // bytes of the file
  size_t tokenBegin = 0, tokenEnd = 0; // preprocessed tokens
};

class Mapper {
public:
  explicit Mapper(const Unit &unit)
      : sources(unit.sources()), buffer(unit.tokens()), all(buffer.expandedTokens()) {}

  /// The piece that holds a preprocessed token; nothing where the text is not known (a pasted token of a
  /// header that was not read as text, say).
  std::optional<Piece> pieceOf(size_t token) const {
    clang::SourceLocation location = all[token].location();
    clang::SourceLocation written =
        location.isMacroID() ? sources.getExpansionRange(location).getBegin() : location;
    const Token *spelled = buffer.spelledTokenContaining(written);
    if (!spelled)
      return std::nullopt;
    if (!location.isMacroID())
      return plainPiece(*spelled, token);
    auto expansion = buffer.expansionStartingAt(spelled);
    return expansion ? std::optional(macroPiece(*expansion)) : std::nullopt;
  }

  const SourceManager &sources;
  const syntax::TokenBuffer &buffer;
  llvm::ArrayRef<Token> all;

private:
  Piece plainPiece(const Token &spelled, size_t token) const {
    unsigned offset = sources.getFileOffset(spelled.location());
    return {sources.getFileID(spelled.location()), offset, offset + spelled.length(), token, token + 1};
  }
  Piece macroPiece(const syntax::TokenBuffer::Expansion &use) const {
    const Token &first = use.Spelled.front(), &last = use.Spelled.back();
    size_t begin = size_t(use.Expanded.data() - all.data());
    return {sources.getFileID(first.location()), sources.getFileOffset(first.location()),
            sources.getFileOffset(last.location()) + last.length(), begin, begin + use.Expanded.size()};
  }
};

/// An edit with the pieces of text that it begins and ends in.
struct Placed {
  TokenEdit edit;
  Piece first, last;
  bool cutsThrough() const { return edit.begin != first.tokenBegin || edit.end != last.tokenEnd; }
};

std::optional<Placed> placeReplacement(const Mapper &map, const TokenEdit &edit) {
  auto first = map.pieceOf(edit.begin), last = map.pieceOf(edit.end - 1);
  if (!first || !last || first->file != last->file)
    return std::nullopt;
  return Placed{edit, *first, *last};
}

/// An insertion is placed like a replacement of nothing: at the near edge of the token it clings to, and
/// inside a macro use only where it is neither that use's first nor after its last token.
std::optional<Placed> locationInsertion(const Mapper &map, const TokenEdit &edit) {
  auto neighbour = map.pieceOf(edit.afterPrevious ? edit.begin - 1 : edit.begin);
  if (!neighbour)
    return std::nullopt;
  Piece &piece = *neighbour;
  bool atNearEdge = edit.afterPrevious ? edit.begin == piece.tokenEnd : edit.begin == piece.tokenBegin;
  if (atNearEdge) {
    unsigned at = edit.afterPrevious ? piece.textEnd : piece.textBegin;
    piece = {piece.file, at, at, edit.begin, edit.end};
  }
  return Placed{edit, piece, piece};
}

Diagnostic refusal(const Unit &unit, const Mapper &map, const TokenEdit &edit, std::string why) {
  size_t token = std::min(edit.begin, map.all.size() - 1);
  Diagnostic d{Severity::Refusal, unit.location(map.all[token].location()), std::move(why), {}, {}};
  return d;
}

Diagnostic pragmaInTheWay(const Unit &unit, clang::SourceLocation pragma) {
  std::string what = "this change needs the text between macros written out";
  if (pragma.isMacroID())
    what = "this change needs the macro '" + Lexer::getImmediateMacroName(pragma, unit.sources(), {}).str() +
           "' expanded in place";
  return {Severity::Refusal, unit.location(pragma), what + ", and the pragma here would be lost", {}, {}};
}

/// True for a token that `##` made, or that came of a macro whose name `##` made. `#` makes strings, which
/// are not meant here.
bool comesOfPasting(const SourceManager &sources, const Token &token) {
  if (token.kind() == tok::string_literal)
    return false;
  for (clang::SourceLocation at = token.location(); at.isMacroID();
       at = sources.getImmediateMacroCallerLoc(at))
    if (sources.isWrittenInScratchSpace(sources.getSpellingLoc(at)))
      return true;
  return false;
}

/// A comma that would end an argument of a macro: angle brackets and braces do not hide it.
bool hasBareComma(llvm::StringRef text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth <= 0)
      return true;
  }
  return false;
}

/// Whether text at this token may have a comma: it is an argument of one macro only, inside parentheses of its own or where the
/// macro takes any number of arguments. Of a macro in an argument of another, the text does not show what the inner one reads.
bool mayHaveComma(const Unit &unit, const Mapper &map, const Piece &use, size_t token) {
  const clang::SourceLocation location = map.all[token].location();
  const Token *name = map.buffer.spelledTokenContaining(
      map.sources.getLocForStartOfFile(use.file).getLocWithOffset(int(use.textBegin)));
  const auto expansion = name ? map.buffer.expansionStartingAt(name) : std::nullopt;
  if (!expansion || !map.sources.getImmediateSpellingLoc(location).isFileID())
    return false;
  unsigned depth = 0, argument = 0;
  for (const Token &written : expansion->Spelled) {
    if (written.location() == map.sources.getFileLoc(location))
      break;
    depth += written.kind() == tok::l_paren;
    depth -= written.kind() == tok::r_paren;
    argument += depth == 1 && written.kind() == tok::comma;
  }
  const auto macro = unit.preprocessor().getMacroDefinitionAtLoc(
      unit.preprocessor().getIdentifierInfo(name->text(map.sources)), name->location());
  const MacroInfo *info = macro.getMacroInfo();
  const bool takesMore = info && info->isVariadic() && argument + 1 >= info->getNumParams();
  return depth > 1 || takesMore;
}

/// The bytes of the argument that an edit inside a macro use replaces, where the macro uses that argument
/// once: then the use can stay.
std::optional<TextEdit> editInArgument(const Unit &unit, const Mapper &map, const Placed &placed) {
  const Piece &use = placed.first;
  if (placed.edit.begin == placed.edit.end || use.tokenBegin != placed.last.tokenBegin)
    return std::nullopt;
  auto writtenAt = [&](size_t token) { return map.sources.getFileLoc(map.all[token].location()); };
  auto offsetOf = [&](size_t token) { return map.sources.getFileOffset(writtenAt(token)); };
  unsigned begin = offsetOf(placed.edit.begin);
  const Token *last = map.buffer.spelledTokenContaining(writtenAt(placed.edit.end - 1));
  if (!last || begin == use.textBegin)
    return std::nullopt; // the macro's own tokens are all written where its name is
  if (hasBareComma(placed.edit.text) && !mayHaveComma(unit, map, use, placed.edit.begin))
    return std::nullopt;
  unsigned end = map.sources.getFileOffset(last->location()) + last->length();
  for (size_t token = use.tokenBegin; token < use.tokenEnd; ++token) {
    bool inEdit = token >= placed.edit.begin && token < placed.edit.end;
    bool inText = offsetOf(token) >= begin && offsetOf(token) < end;
    if (inEdit != inText || comesOfPasting(map.sources, map.all[token]))
      return std::nullopt;
  }
  return TextEdit{use.file, begin, end, placed.edit.text, placed.edit.origins};
}

/// Would these two characters, put side by side, be read as (part of) one token?
bool wouldMerge(char comesBefore, char after) {
  auto isWord = [](char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; };
  if (isWord(comesBefore))
    return isWord(after) || after == '"' || after == '\'' ||
           (isdigit((unsigned char)comesBefore) && after == '.');
  if (comesBefore == '.')
    return isdigit((unsigned char)after) || after == '.' || after == '*';
  auto isOneOf = [](char c, const char *set) { return c && strchr(set, c); };
  return (comesBefore == after && isOneOf(comesBefore, "+-&|<>=:#/")) ||
         (after == '=' && isOneOf(comesBefore, "+-*/%&|^!<>")) || (comesBefore == '-' && after == '>') ||
         (comesBefore == '/' && after == '*') || (comesBefore == '<' && isOneOf(after, ":%")) ||
         (comesBefore == '%' && isOneOf(after, ":>"));
}

/// Keeps the new text of whole tokens apart from what is around it: `-NEG` must not become `--tid`.
void keepApart(const Mapper &map, TextEdit &edit) {
  llvm::StringRef file = map.sources.getBufferData(edit.file);
  if (edit.text.empty()) {
    if (edit.begin > 0 && edit.end < file.size() && wouldMerge(file[edit.begin - 1], file[edit.end]))
      edit.text = " ";
    return;
  }
  if (edit.end < file.size() && wouldMerge(edit.text.back(), file[edit.end]))
    edit.text += ' ';
  if (edit.begin > 0 && wouldMerge(file[edit.begin - 1], edit.text.front()))
    edit.text.insert(0, 1, ' ');
}

/// Makes all edits of one run of touching pieces: each on its own where none needs a macro expanded, else
/// together. A refusal where that cannot be done.
std::optional<Diagnostic> makeGroup(const Unit &unit, const Mapper &map, llvm::ArrayRef<Placed> group,
                                    std::vector<TextEdit> &out) {
  std::vector<TextEdit> each;
  for (const Placed &placed : group) {
    if (!placed.cutsThrough())
      each.push_back({placed.first.file, placed.first.textBegin, placed.last.textEnd, placed.edit.text,
                      placed.edit.origins});
    else if (auto inArgument = editInArgument(unit, map, placed))
      each.push_back(*inArgument);
    else
      break;
  }
  if (each.size() == group.size()) {
    for (size_t i = 0; i < each.size(); ++i)
      if (group[i].edit.begin != group[i].edit.end)
        keepApart(map, each[i]);
    out.insert(out.end(), each.begin(), each.end());
    return std::nullopt;
  }
  Piece whole = group.front().first;
  std::vector<TokenEdit> inside;
  for (const Placed &placed : group) {
    whole.textEnd = std::max(whole.textEnd, placed.last.textEnd);
    whole.tokenEnd = std::max(whole.tokenEnd, placed.last.tokenEnd);
    inside.push_back(placed.edit);
  }
  for (clang::SourceLocation pragma : unit.pragmas()) {
    auto [file, offset] = map.sources.getDecomposedExpansionLoc(pragma);
    if (file == whole.file && offset >= whole.textBegin && offset < whole.textEnd)
      return pragmaInTheWay(unit, pragma);
  }
  out.push_back({whole.file, whole.textBegin, whole.textEnd,
                 expandedText(unit, whole.tokenBegin, whole.tokenEnd, inside)});
  keepApart(map, out.back());
  return std::nullopt;
}

/// A use of a system header's macro inside a macro of the user's.
struct SystemMacro {
  clang::SourceLocation use; // distinguishes uses of one macro
  llvm::StringRef name;
};

/// The use of an object-like macro (`__global__`, `__shared__`, `NULL`) of a system header that the token
/// comes from. Written out, it would be `__attribute__((global))`, which is hard to read.
std::optional<SystemMacro> systemMacroAround(const SourceManager &sources, const Token &token) {
  for (clang::SourceLocation at = token.location(); at.isMacroID();
       at = sources.getImmediateMacroCallerLoc(at)) {
    if (sources.isMacroArgExpansion(at) || !sources.isInSystemHeader(sources.getSpellingLoc(at)))
      continue;
    CharSourceRange use = sources.getImmediateExpansionRange(at);
    clang::SourceLocation written = sources.getSpellingLoc(use.getBegin());
    bool isObjectLike = use.getBegin() == use.getEnd();
    if (isObjectLike && !sources.isInSystemHeader(written) && !sources.isWrittenInScratchSpace(written))
      return SystemMacro{use.getBegin(), Lexer::getImmediateMacroName(at, sources, {})};
  }
  return std::nullopt;
}

/// Where such a use that begins at `token` ends, provided that no edit (the next one begins at `limit`) cuts
/// it; else 0.
size_t endOfSystemMacro(const SourceManager &sources, llvm::ArrayRef<Token> all, size_t token, size_t limit) {
  auto use = systemMacroAround(sources, all[token]);
  auto isSameUse = [&](size_t other) {
    auto around = systemMacroAround(sources, all[other]);
    return around && around->use == use->use;
  };
  if (!use || (token > 0 && isSameUse(token - 1)))
    return 0;
  size_t end = token + 1;
  while (end < all.size() && isSameUse(end))
    ++end;
  return end <= limit ? end : 0;
}

bool comesBefore(const TokenEdit &a, const TokenEdit &b) {
  return std::tuple(a.begin, a.end, !a.afterPrevious) < std::tuple(b.begin, b.end, !b.afterPrevious);
}

} // namespace

TokenEdit tokensOf(const Unit &unit, SourceRange range) {
  const syntax::TokenBuffer &buffer = unit.tokens();
  llvm::ArrayRef<Token> tokens = buffer.expandedTokens(range);
  if (tokens.empty())
    return {};
  size_t begin = size_t(tokens.data() - buffer.expandedTokens().data());
  return {begin, begin + tokens.size(), {}, false};
}

std::string restOfSplitToken(const Unit &unit, SourceRange range) {
  const SourceManager &sources = unit.sources();
  llvm::ArrayRef<Token> tokens = unit.tokens().expandedTokens(range);
  if (tokens.empty())
    return {};
  const Token &last = tokens.back();
  bool closesTemplates = last.kind() == tok::greatergreater || last.kind() == tok::greatergreatergreater;
  if (!closesTemplates || (tokens.size() > 1 && tokens[tokens.size() - 2].kind() == tok::kw_operator))
    return {};
  auto [tokenFile, tokenOffset] = sources.getDecomposedLoc(sources.getSpellingLoc(last.location()));
  // Clang gives the first half of a split token a spelling of its own, away from the text; the second one
  // keeps its place.
  clang::SourceLocation end = range.getEnd();
  if (end.isMacroID() && sources.isWrittenInScratchSpace(sources.getSpellingLoc(end)))
    end = sources.getImmediateExpansionRange(end).getBegin();
  auto [endFile, endOffset] = sources.getDecomposedLoc(sources.getSpellingLoc(end));
  bool isInside = tokenFile == endFile && endOffset >= tokenOffset && endOffset < tokenOffset + last.length();
  return isInside ? std::string(tokenOffset + last.length() - endOffset - 1, '>') : std::string();
}

std::string expandedText(const Unit &unit, size_t begin, size_t end, const std::vector<TokenEdit> &edits) {
  const SourceManager &sources = unit.sources();
  llvm::ArrayRef<Token> all = unit.tokens().expandedTokens();
  std::string text;
  // Brackets, commas and semicolons never merge with a neighbour into another token; all else is kept apart.
  auto separateFrom = [&](char next) {
    bool needsNone = text.empty() || isspace((unsigned char)text.back()) || strchr("([", text.back()) ||
                     strchr(")],;", next);
    if (!needsNone)
      text += ' ';
  };
  auto adjacentAsWritten = [&](size_t token) {
    clang::SourceLocation here = sources.getSpellingLoc(all[token].location());
    clang::SourceLocation previous = sources.getSpellingLoc(all[token - 1].location());
    return previous.getLocWithOffset(int(all[token - 1].length())) == here;
  };

  auto emit = [&](size_t token, llvm::StringRef words) {
    if (token != begin && !words.empty() && !adjacentAsWritten(token))
      separateFrom(words.front());
    text += words;
  };

  auto edit = edits.begin();
  for (size_t token = begin;;) {
    size_t untouched = edit != edits.end() ? edit->begin : end;
    if (edit != edits.end() && edit->begin == token) {
      emit(token, edit->text);
      token = edit++->end;
    } else if (token >= end) {
      break;
    } else if (size_t behind = endOfSystemMacro(sources, all, token, untouched)) {
      emit(token, systemMacroAround(sources, all[token])->name);
      token = behind;
    } else {
      emit(token, all[token].text(sources));
      ++token;
    }
  }
  return text;
}

std::variant<std::string, Diagnostic> expandedOrRefused(const Unit &unit, const TokenEdit &range,
                                                        const std::vector<TokenEdit> &edits) {
  const SourceManager &sources = unit.sources();
  llvm::ArrayRef<Token> all = unit.tokens().expandedTokens();
  for (clang::SourceLocation pragma : unit.pragmas())
    if (sources.isBeforeInTranslationUnit(all[range.begin].location(), pragma) &&
        sources.isBeforeInTranslationUnit(pragma, all[range.end - 1].location()))
      return pragmaInTheWay(unit, pragma);
  return expandedText(unit, range.begin, range.end, edits);
}

std::variant<std::vector<TextEdit>, Diagnostic> textEdits(const Unit &unit, std::vector<TokenEdit> edits) {
  Mapper map(unit);
  std::stable_sort(edits.begin(), edits.end(), comesBefore);
  // Each instantiation of a template may ask for the same change of the text they share.
  auto same = [](const TokenEdit &a, const TokenEdit &b) {
    return a.begin == b.begin && a.end == b.end && a.begin != a.end && a.text == b.text;
  };
  edits.erase(std::unique(edits.begin(), edits.end(), same), edits.end());
  std::vector<Placed> placed;
  for (const TokenEdit &edit : edits) {
    if (!placed.empty() && edit.begin < placed.back().edit.end)
      return refusal(unit, map, edit, "two changes overlap here");
    auto where = edit.begin == edit.end ? locationInsertion(map, edit) : placeReplacement(map, edit);
    if (!where)
      return refusal(unit, map, edit,
                     "this text comes from more than one file, so it cannot be changed in place");
    placed.push_back(*where);
  }

  std::vector<TextEdit> result;
  for (size_t i = 0; i < placed.size();) {
    size_t j = i + 1;
    size_t reach = placed[i].last.tokenEnd;
    for (; j < placed.size() && placed[j].first.file == placed[i].first.file &&
           placed[j].first.tokenBegin < reach;
         ++j)
      reach = std::max(reach, placed[j].last.tokenEnd);
    if (std::optional<Diagnostic> refused =
            makeGroup(unit, map, llvm::ArrayRef(placed).slice(i, j - i), result))
      return *refused;
    i = j;
  }
  return result;
}

namespace {

/// Puts a text together and notes for each line where it comes from: a line is that of the first word on it.
class LineRecorder {
public:
  void add(std::string_view piece, const std::function<unsigned(size_t)> &originOfLine) {
    size_t line = 0;
    for (char c : piece) {
      if (c == '\n')
        finishLine(originOfLine(line)), ++line;
      else if (!isOpen && c != ' ' && c != '\t')
        result.lines.push_back(originOfLine(line)), isOpen = true;
    }
    result.text += piece;
  }

  ChangedText finish(unsigned lastLine) {
    finishLine(lastLine);
    return std::move(result);
  }

private:
  void finishLine(unsigned origin) {
    if (!isOpen)
      result.lines.push_back(origin);
    isOpen = false;
  }

  ChangedText result;
  bool isOpen = false; ///< the line at the end has its origin
};

} // namespace

ChangedText applied(const std::vector<TextEdit> &edits, std::string_view slice, unsigned sliceBegin,
                    unsigned firstLine) {
  LineRecorder recorder;
  size_t done = 0;
  unsigned line = firstLine; // of the old text, at `done`
  auto linesUntil = [&](size_t end) {
    const std::string_view passed = slice.substr(done, end - done);
    return unsigned(std::ranges::count(passed, '\n'));
  };
  auto keep = [&](size_t end) {
    recorder.add(slice.substr(done, end - done), [&](size_t below) { return line + unsigned(below); });
    line += linesUntil(end);
    done = end;
  };
  for (const TextEdit &edit : edits) {
    keep(edit.begin - sliceBegin);
    recorder.add(edit.text, [&](size_t below) {
      const unsigned origin = below < edit.origins.size() ? edit.origins[below] : 0;
      return origin ? origin : line;
    });
    line += linesUntil(edit.end - sliceBegin);
    done = edit.end - sliceBegin;
  }
  keep(slice.size());
  return recorder.finish(line);
}

} // namespace heddle::source
