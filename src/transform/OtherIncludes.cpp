// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang keeps no record of an #include that `#pragma once` made void. The files that it read are lexed once more, without
// preprocessing, so that comments and raw strings are known for what they are; names are looked up in the folders that Clang
// searched, and files compared by identity, since one may have several names.
#include "transform/OtherIncludes.h"

#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;
namespace fs = std::filesystem;

namespace heddle::transform {
namespace {

/// A name as an #include has it.
struct HeaderName {
  std::string name;
  bool isAngled = false;
};

/// The name of the line whose words behind `include` begin at `text`.
HeaderName headerName(llvm::StringRef text) {
  text = text.split('\n').first.ltrim(" \t");
  const bool isAngled = text.starts_with("<");
  const size_t close = text.find(isAngled ? '>' : '"', 1);
  if ((!isAngled && !text.starts_with("\"")) || close == text.npos)
    return {};
  return {text.slice(1, close).str(), isAngled};
}

/// The file that the name means in a file of `folder`; empty where there is none.
fs::path found(const HeaderSearch &search, const HeaderName &header, const fs::path &folder) {
  std::error_code ignored;
  if (header.name.empty())
    return {};
  if (!header.isAngled && fs::is_regular_file(folder / header.name, ignored))
    return folder / header.name;
  auto each = header.isAngled ? search.angled_dir_begin() : search.search_dir_begin();
  for (; each != search.search_dir_end(); ++each)
    if (each->isNormalDir())
      if (fs::path file = fs::path(each->getName().str()) / header.name; fs::is_regular_file(file, ignored))
        return file;
  return {};
}

} // namespace

std::vector<clang::SourceLocation> includesOf(const source::Unit &unit, const fs::path &file) {
  const SourceManager &sources = unit.sources();
  const HeaderSearch &search = unit.preprocessor().getHeaderSearchInfo();
  std::vector<clang::SourceLocation> result;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &slot = sources.getLocalSLocEntry(i);
    if (!slot.isFile())
      continue;
    const FileID reading = sources.getFileID(clang::SourceLocation::getFromRawEncoding(slot.getOffset()));
    const OptionalFileEntryRef entry = sources.getFileEntryRefForID(reading);
    if (!entry || !unit.isUserCode(sources.getLocForStartOfFile(reading)))
      continue;
    const llvm::StringRef text = sources.getBufferData(reading);
    const fs::path folder = fs::path(entry->getName().str()).parent_path();
    Lexer lexer(reading, sources.getBufferOrFake(reading), sources, unit.context().getLangOpts());
    Token token;
    for (bool isEnd = false; !isEnd;) {
      isEnd = lexer.LexFromRawLexer(token);
      if (!token.is(tok::hash) || !token.isAtStartOfLine())
        continue;
      const clang::SourceLocation hash = token.getLocation();
      isEnd = lexer.LexFromRawLexer(token);
      if (!token.is(tok::raw_identifier) || token.getRawIdentifier() != "include")
        continue;
      const fs::path named =
          found(search, headerName(text.substr(sources.getFileOffset(token.getEndLoc()))), folder);
      std::error_code ignored;
      if (!named.empty() && fs::equivalent(named, file, ignored))
        result.push_back(hash);
    }
  }
  return result;
}

} // namespace heddle::transform
