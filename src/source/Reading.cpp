// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens: each reading of a file (a header may be read several times, with other macros defined) is a sequence. A sequence must be
// among those of the other side. A header with an include guard is read once by the text and once by each unit, and all of these are the same
// sequence; one that a unit reads under other conditions is not among the sequences of the text.
//
// What __LINE__ and __COUNTER__ expand to depends on the text around, and no program's meaning may depend on that: a number or a string that
// the preprocessor made is compared by its kind, a name that it pasted without its digits.
//
// References: the qualified name and the type of what an expression names, by the offset of the name. Templates are compared by
// their instantiations, so that names that are looked up at their instantiation count. The text instantiates what any of the
// units does, so that the sets of all units together must be those of the text.
#include "source/Reading.h"

#include "source/Inclusions.h"
#include "source/Program.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <fmt/format.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using namespace clang;
namespace fs = std::filesystem;

namespace heddle::source {
namespace {

/// The file that a location is in, by its canonical path; empty for one that is not the user's.
class UserFiles {
public:
  UserFiles(const Unit &unit, Reading::MainFile main) : unit(unit), sources(unit.sources()), main(main) {}

  const fs::path &of(clang::SourceLocation location) {
    const clang::SourceLocation at = sources.getExpansionLoc(location);
    const FileID file = sources.getFileID(at);
    if (auto known = paths.find(file); known != paths.end())
      return known->second;
    const bool isLeftOut = main == Reading::MainFile::OnlyIncludes && file == sources.getMainFileID();
    const OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
    const bool isUsers = !isLeftOut && entry && unit.isUserCode(at);
    return paths[file] = isUsers ? canonicalPath(entry->getName().str()) : fs::path();
  }

private:
  const Unit &unit;
  const SourceManager &sources;
  const Reading::MainFile main;
  std::map<FileID, fs::path> paths;
};

/// A token's text, as far as it does not depend on where the token is.
std::string textOf(const syntax::Token &token, const SourceManager &sources) {
  const llvm::StringRef text = token.text(sources);
  const bool isMade = sources.isWrittenInScratchSpace(sources.getSpellingLoc(token.location()));
  if (!isMade)
    return text.str();
  if (token.kind() == tok::identifier)
    return text.rtrim("0123456789").str();
  return tok::isLiteral(token.kind()) ? std::string() : text.str();
}

} // namespace

/// What expressions of the user's code refer to.
class ReferenceCollector : public DynamicRecursiveASTVisitor {
public:
  ReferenceCollector(Reading &reading, const Unit &unit, Reading::MainFile main)
      : reading(reading), unit(unit), files(unit, main) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    take(reference->getLocation(), reference->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    take(member->getMemberLoc(), member->getMemberDecl());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *construction) override {
    take(construction->getLocation(), construction->getConstructor());
    return true;
  }

private:
  void take(clang::SourceLocation location, const ValueDecl *to) {
    if (location.isInvalid() || !to || to->getType().isNull() || to->getType()->isDependentType())
      return;
    const fs::path &file = files.of(location);
    if (file.empty())
      return;
    const SourceManager &sources = unit.sources();
    // A macro's expansion has one offset in the file, and those that it expands to differ in their spelling.
    const clang::SourceLocation at = sources.getExpansionLoc(location);
    Reading::Reference &found =
        reading.references[{{file, unit.side() == Side::Host}, sources.getFileOffset(at)}];
    found.line = sources.getExpansionLineNumber(at);
    found.to.insert(to->getQualifiedNameAsString() + " of type " + to->getType().getAsString());
  }

  Reading &reading;
  const Unit &unit;
  UserFiles files;
};

void Reading::add(const Program &program, MainFile main) {
  add(program.device(), main);
  add(program.host(), main);
}

void Reading::add(const Unit &unit, MainFile main) {
  addTokens(unit, main);
  ReferenceCollector(*this, unit, main).TraverseAST(unit.context());
}

void Reading::addTokens(const Unit &unit, MainFile main) {
  UserFiles files(unit, main);
  const SourceManager &sources = unit.sources();
  std::map<FileID, std::vector<Token>> readings;
  for (const syntax::Token &token : unit.tokens().expandedTokens()) {
    if (token.kind() == tok::eof || files.of(token.location()).empty())
      continue;
    const clang::SourceLocation at = sources.getExpansionLoc(token.location());
    readings[sources.getFileID(at)].push_back(
        {llvm::hash_combine(int(token.kind()), llvm::hash_value(textOf(token, sources))),
         sources.getExpansionLineNumber(at)});
  }
  for (auto &[file, reading] : readings)
    tokens[{files.of(sources.getLocForStartOfFile(file)), unit.side() == Side::Host}].push_back(
        std::move(reading));
  // Files without a token (a header of macros) were read as well.
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i)
    if (const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i); slot.isFile())
      if (const fs::path &file = files.of(clang::SourceLocation::getFromRawEncoding(slot.getOffset()));
          !file.empty())
        read.insert(file);
}

std::optional<Reading::Difference> Reading::differenceFrom(const Reading &other) const {
  if (auto difference = tokensDiffer(other))
    return difference;
  return referencesDiffer(other);
}

std::optional<Reading::Difference> Reading::tokensDiffer(const Reading &other) const {
  const auto missing = [](const Reading &here, const Reading &there) -> std::optional<Difference> {
    for (const auto &[seen, readings] : here.tokens) {
      const auto others = there.tokens.find(seen);
      for (const std::vector<Token> &reading : readings) {
        if (others != there.tokens.end() &&
            std::ranges::find(others->second, reading) != others->second.end())
          continue;
        SourceLocation location{seen.first.string(), reading.front().line};
        if (others != there.tokens.end()) {
          const auto [mine, theirs] = std::ranges::mismatch(reading, others->second.front());
          location.line = mine != reading.end() ? mine->line : reading.back().line;
        }
        return Difference{location, "a macro or condition here depends on another file"};
      }
    }
    return std::nullopt;
  };
  if (auto difference = missing(*this, other))
    return difference;
  return missing(other, *this);
}

std::optional<Reading::Difference> Reading::referencesDiffer(const Reading &other) const {
  const auto missing = [](const Reading &here, const Reading &there) -> std::optional<Difference> {
    for (const auto &[key, reference] : here.references) {
      const auto theirs = there.references.find(key);
      for (const std::string &to : reference.to)
        if (theirs == there.references.end() || !theirs->second.to.contains(to))
          return Difference{{key.first.first.string(), reference.line},
                            fmt::format("whether a name here refers to '{}' depends on another file", to)};
    }
    return std::nullopt;
  };
  if (auto difference = missing(*this, other))
    return difference;
  return missing(other, *this);
}

} // namespace heddle::source
