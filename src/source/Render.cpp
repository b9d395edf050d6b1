// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Render.h"

#include "source/TextEdits.h"
#include "source/Unit.h"

#include <clang/AST/Stmt.h>
#include <clang/Tooling/Syntax/Tokens.h>

#include <algorithm>
#include <tuple>

using namespace clang;

namespace heddle::source {
namespace {

std::vector<TokenEdit> tokenEdits(const Unit &unit, const std::vector<Replacement> &parts) {
  std::vector<TokenEdit> edits;
  for (const Replacement &replacement : parts) {
    TokenEdit edit = tokensOf(unit, replacement.part);
    edit.text = replacement.text + restOfSplitToken(unit, replacement.part);
    edits.push_back(std::move(edit));
  }
  return edits;
}

/// All changes of one file. Both sides read the same files, and one side may read a file several times, under
/// several names: from here on edits are distinguished by file and byte.
struct FileEdits {
  std::filesystem::path path;
  std::string_view text;
  const Unit *unit = nullptr;
  std::vector<TextEdit> edits;
};

bool isSameChange(const TextEdit &a, const TextEdit &b) {
  return a.begin == b.begin && a.end == b.end && a.text == b.text;
}

void sortAndMerge(std::vector<TextEdit> &edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit &a, const TextEdit &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  // A header read twice, or by both sides, may ask for the very same change twice. Two insertions at one
  // place by the same reading are two insertions.
  auto isRepeated = [](const TextEdit &a, const TextEdit &b) {
    return isSameChange(a, b) && (a.end > a.begin || a.file != b.file);
  };
  edits.erase(std::unique(edits.begin(), edits.end(), isRepeated), edits.end());
}

SourceLocation locationOf(const Unit &unit, const TextEdit &edit) {
  return unit.location(unit.sources().getLocForStartOfFile(edit.file).getLocWithOffset(int(edit.begin)));
}

std::optional<Diagnostic> overlap(const FileEdits &file) {
  for (size_t i = 1; i < file.edits.size(); ++i)
    if (file.edits[i].begin < file.edits[i - 1].end)
      return Diagnostic{
          Severity::Refusal, locationOf(*file.unit, file.edits[i]), "two changes overlap here", {}, {}};
  return std::nullopt;
}

/// True where some token between the two places of one reading of a file got past the preprocessor.
bool isTakenIn(const Unit &unit, clang::SourceLocation from, clang::SourceLocation to) {
  const SourceManager &sources = unit.sources();
  llvm::ArrayRef<syntax::Token> tokens = unit.tokens().expandedTokens();
  return std::any_of(tokens.begin(), tokens.end(), [&](const syntax::Token &token) {
    clang::SourceLocation at = sources.getFileLoc(token.location());
    return from <= at && at <= to;
  });
}

/// The other readings of the file (an #include without a guard makes several) that take in the text that the
/// edit changes, rather than skip it by #if.
std::vector<FileID> otherReadings(const Unit &unit, const TextEdit &edit) {
  const SourceManager &sources = unit.sources();
  const FileEntry *entry = sources.getFileEntryForID(edit.file);
  std::vector<FileID> others;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
    if (!slot.isFile())
      continue;
    clang::SourceLocation start = clang::SourceLocation::getFromRawEncoding(slot.getOffset());
    FileID reading = sources.getFileID(start);
    if (reading == edit.file || sources.getFileEntryForID(reading) != entry)
      continue;
    // An insertion is at the edge of a token: its neighbours count.
    unsigned from = edit.begin ? edit.begin - 1 : 0;
    if (isTakenIn(unit, start.getLocWithOffset(int(from)), start.getLocWithOffset(int(edit.end))))
      others.push_back(reading);
  }
  return others;
}

/// Text that is read more than once means something each time: a change is right only where each reading asks
/// for it.
std::optional<Diagnostic> disagreementOfReadings(const Unit &unit, const std::vector<TextEdit> &edits) {
  FileID mainFile = unit.sources().getMainFileID();
  for (const TextEdit &edit : edits) {
    if (edit.file == mainFile)
      continue;
    for (FileID other : otherReadings(unit, edit)) {
      bool agrees = std::any_of(edits.begin(), edits.end(), [&](const TextEdit &asked) {
        return asked.file == other && isSameChange(asked, edit);
      });
      if (!agrees)
        return Diagnostic{Severity::Refusal,
                          locationOf(unit, edit),
                          "this text is read more than once, and the change is for one inclusion only",
                          {{unit.location(unit.sources().getIncludeLoc(other)), "it is read again here"}},
                          {}};
    }
  }
  return std::nullopt;
}

/// Whether a stretch of written text makes other tokens too: those of a macro that it uses. TokenBuffer finds the
/// text `LAUNCH(scale, n)` for the 128 in `CHECK(LAUNCH(scale, n))`, as it looks no deeper than the outer macro.
bool makesMore(const Unit &unit, const TokenEdit &range, FileID file, unsigned from, unsigned to) {
  const SourceManager &sources = unit.sources();
  llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
  const auto isOfSameUse = [&](size_t token, size_t end) {
    clang::SourceLocation at = all[token].location();
    return at.isMacroID() && sources.getExpansionLoc(at) == sources.getExpansionLoc(all[end].location());
  };
  const auto isWrittenThere = [&](size_t token) {
    auto [in, offset] = sources.getDecomposedLoc(sources.getFileLoc(all[token].location()));
    return in == file && offset >= from && offset < to;
  };
  for (size_t token = range.begin; token-- > 0 && isOfSameUse(token, range.begin);)
    if (isWrittenThere(token))
      return true;
  for (size_t token = range.end; token < all.size() && isOfSameUse(token, range.end - 1); ++token)
    if (isWrittenThere(token))
      return true;
  return false;
}

} // namespace

std::variant<EditText, Diagnostic> renderTokens(const Unit &unit, SourceRange whole,
                                                std::vector<TokenEdit> edits) {
  TokenEdit range = tokensOf(unit, whole);
  if (range.begin == range.end)
    return EditText();
  std::stable_sort(edits.begin(), edits.end(), [](const TokenEdit &a, const TokenEdit &b) {
    return std::tuple(a.begin, a.end, !a.afterPrevious) < std::tuple(b.begin, b.end, !b.afterPrevious);
  });

  // Where the range begins or ends inside a macro use there is no written text of its own: its tokens are all
  // there is.
  auto spelled = unit.tokens().spelledForExpanded(
      unit.tokens().expandedTokens().slice(range.begin, range.end - range.begin));
  const SourceManager &sources = unit.sources();
  auto expanded = [&]() -> std::variant<EditText, Diagnostic> {
    Rendered text = expandedOrRefused(unit, range, edits);
    if (auto *refused = std::get_if<Diagnostic>(&text))
      return *refused;
    return EditText(std::get<std::string>(text));
  };
  if (!spelled)
    return expanded();

  auto changes = textEdits(unit, edits);
  if (auto *refused = std::get_if<Diagnostic>(&changes))
    return *refused;
  const auto &list = std::get<std::vector<TextEdit>>(changes);
  clang::SourceLocation begin = spelled->front().location();
  unsigned from = sources.getFileOffset(begin);
  unsigned to = sources.getFileOffset(spelled->back().location()) + spelled->back().length();
  FileID file = sources.getFileID(begin);
  if (makesMore(unit, range, file, from, to))
    return expanded();
  for (const TextEdit &edit : list)
    if (edit.file != file || edit.begin < from || edit.end > to)
      return expanded();
  ChangedText text = applied(list, std::string_view(sources.getBufferData(file)).substr(from, to - from),
                             from, sources.getLineNumber(file, from));
  if (file != sources.getMainFileID()) // lines of another file than the one that is changed
    text.lines.clear();
  return EditText(std::move(text.text), std::move(text.lines));
}

std::variant<EditText, Diagnostic> renderLines(const Unit &unit, SourceRange whole,
                                               const std::vector<Replacement> &parts) {
  std::variant<EditText, Diagnostic> rendered = renderTokens(unit, whole, tokenEdits(unit, parts));
  if (auto *all = std::get_if<EditText>(&rendered))
    all->text.resize(all->text.size() - std::min(all->text.size(), restOfSplitToken(unit, whole).size()));
  return rendered;
}

Rendered render(const Unit &unit, SourceRange whole, const std::vector<Replacement> &parts) {
  std::variant<EditText, Diagnostic> rendered = renderLines(unit, whole, parts);
  if (auto *refused = std::get_if<Diagnostic>(&rendered))
    return *refused;
  return std::get<EditText>(rendered).text;
}

void Edits::append(const Edits &others) {
  for (const auto &[unit, list] : others.wanted)
    wanted[unit].insert(wanted[unit].end(), list.begin(), list.end());
}

void Edits::replace(const Unit &unit, SourceRange range, EditText text) {
  wanted[&unit].push_back({Edit::Kind::Replace, range, std::move(text)});
}

void Edits::insertBefore(const Unit &unit, clang::SourceLocation token, EditText text) {
  wanted[&unit].push_back({Edit::Kind::Before, SourceRange(token, token), std::move(text)});
}

void Edits::insertAfter(const Unit &unit, clang::SourceLocation token, EditText text) {
  wanted[&unit].push_back({Edit::Kind::After, SourceRange(token, token), std::move(text)});
}

std::vector<TokenEdit> Edits::ofTokens(const Unit &unit, const std::vector<Edit> &list) {
  std::vector<TokenEdit> edits;
  for (const Edit &edit : list) {
    TokenEdit tokens = tokensOf(unit, edit.range);
    tokens.text = edit.text.text;
    tokens.origins = edit.text.origins;
    if (edit.kind == Edit::Kind::Replace)
      tokens.text += restOfSplitToken(unit, edit.range);
    if (edit.kind == Edit::Kind::Before)
      tokens.end = tokens.begin;
    if (edit.kind == Edit::Kind::After)
      tokens.begin = tokens.end, tokens.afterPrevious = true;
    edits.push_back(std::move(tokens));
  }
  return edits;
}

std::variant<std::map<std::filesystem::path, std::string>, Diagnostic> Edits::apply() const {
  auto changed = applyLines();
  if (auto *refused = std::get_if<Diagnostic>(&changed))
    return *refused;
  std::map<std::filesystem::path, std::string> texts;
  for (auto &[path, file] : std::get<0>(changed))
    texts[path] = std::move(file.text);
  return texts;
}

std::variant<std::map<std::filesystem::path, ChangedText>, Diagnostic> Edits::applyLines() const {
  std::map<llvm::sys::fs::UniqueID, FileEdits> files;
  for (const auto &[unit, list] : wanted) {
    auto changes = textEdits(*unit, ofTokens(*unit, list));
    if (auto *refused = std::get_if<Diagnostic>(&changes))
      return *refused;
    auto &edits = std::get<std::vector<TextEdit>>(changes);
    if (std::optional<Diagnostic> refused = disagreementOfReadings(*unit, edits))
      return *refused;
    for (TextEdit &edit : edits) {
      OptionalFileEntryRef entry = unit->sources().getFileEntryRefForID(edit.file);
      FileEdits &file = files[entry->getUniqueID()];
      if (file.path.empty())
        file.path = entry->getName().str();
      file.unit = unit;
      file.text = unit->sources().getBufferData(edit.file);
      file.edits.push_back(std::move(edit));
    }
  }

  std::map<std::filesystem::path, ChangedText> result;
  for (auto &[id, file] : files) {
    sortAndMerge(file.edits);
    if (std::optional<Diagnostic> refused = overlap(file))
      return *refused;
    result[file.path] = applied(file.edits, file.text, 0, 1);
  }
  return result;
}

} // namespace heddle::source
