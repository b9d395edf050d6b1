// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Names.h"

#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/StringExtras.h>

using namespace clang;

namespace heddle::transform {

std::string capitalized(std::string name) {
  name.front() = llvm::toUpper(name.front());
  return name;
}

Names::Names(const source::Unit &unit) {
  const SourceManager &sources = unit.sources();
  for (const syntax::Token &token : unit.tokens().spelledTokens(sources.getMainFileID()))
    if (token.kind() == tok::identifier || tok::getKeywordSpelling(token.kind()))
      taken.insert(token.text(sources));
  // What macros put into headers is not counted: nothing there can see a name of the file's functions, and
  // precompiled headers have no tokens, so that the answer would depend on how they were read.
  for (const syntax::Token &token : unit.tokens().expandedTokens())
    if (token.kind() == tok::identifier && token.location().isMacroID() &&
        sources.isWrittenInMainFile(sources.getExpansionLoc(token.location())))
      taken.insert(token.text(sources));
}

std::string Names::fresh(const std::string &wanted) {
  std::string name = wanted;
  for (unsigned number = 2; !taken.insert(name).second; ++number)
    name = wanted + std::to_string(number);
  return name;
}

} // namespace heddle::transform
