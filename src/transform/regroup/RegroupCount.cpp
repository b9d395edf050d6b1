// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread does differs from what others do by how often it goes through its loops, more than by
// anything else: that is what is counted, one for each time, in all loops alike. A clock would not help:
// threads of a warp wait for each other.
#include "transform/regroup/RegroupCount.h"

#include "analysis/CallEffects.h"
#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/FunctionCopies.h"
#include "transform/Names.h"
#include "transform/tasks/KernelHead.h"
#include "transform/work/ItemIndices.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <map>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::bodyOf;
using analysis::isLoop;

namespace {

class CountingWriter {
public:
  explicit CountingWriter(Context &context)
      : context(context), kernel(context.target.first()), unit(*kernel.unit), names(unit),
        counter(nameFreeIn(kernel, "counter")), counted(nameFreeIn(kernel, "counted")) {}

  std::optional<std::string> write() {
    if (!templateArgumentsOf(kernel.function).empty())
      return refuse("by=profile counts work in a copy of the kernel, and cannot copy a template");
    findCounting();
    if (!counting.contains(kernel.function)) {
      Diagnostic &refusal =
          context
              .refuse(kernel.location,
                      "by=profile (the default) counts iterations, and '{}' has no loop that can be counted",
                      context.target.name)
              .withHint("by=EXPRESSION names what to group threads by");
      if (const Stmt *loop = loopElsewhere())
        refusal.note(unit.location(loop), "this loop is in a function to which no parameter can be added");
      return std::nullopt;
    }
    for (const FunctionDecl *function : functionsOf(kernel))
      if (counting.contains(function) && !copy(function))
        return std::nullopt;
    return copies.of(kernel.function);
  }

private:
  std::optional<std::string> refuse(const std::string &why) {
    return context.refuse(kernel.location, why).withHint("by=EXPRESSION names what to group threads by");
  }

  /// The first loop of a function that must not be changed.
  const Stmt *loopElsewhere() const {
    const Stmt *first = nullptr;
    for (const FunctionDecl *function : functionsOf(kernel))
      for (const Stmt *statement : Uses::of(function->getBody()).statements)
        if (isLoop(statement) && (!first || statement->getBeginLoc() < first->getBeginLoc()))
          first = statement;
    return first;
  }

  /// Functions with a loop, or that call one: again and again, until no more are found.
  void findCounting() {
    const std::vector<const FunctionDecl *> functions = functionsOf(kernel);
    for (bool finds = true; finds;) {
      finds = false;
      for (const FunctionDecl *function : functions)
        if (!counting.contains(function) && mayBeCopied(function) && counts(function))
          finds = counting.insert(function).second;
    }
  }
  bool counts(const FunctionDecl *function) const {
    const Uses uses = Uses::of(function->getBody());
    return std::ranges::any_of(uses.statements, isLoop) ||
           std::ranges::any_of(calledFunctions(unit, uses),
                               [&](const FunctionDecl *callee) { return counting.contains(callee); });
  }
  /// A member cannot be given a parameter alone, and where a function is declared ahead its copy may come too
  /// late.
  bool mayBeCopied(const FunctionDecl *function) const {
    return function == kernel.function || (!isa<CXXMethodDecl>(function) && function->getIdentifier() &&
                                           !function->getLocation().isMacroID() &&
                                           function->getFirstDecl() == function->getMostRecentDecl());
  }

  bool copy(const FunctionDecl *function) {
    if (!copies.isFirstCopy(function))
      return true; // another instantiation of the same text
    const bool isKernel = function == kernel.function;
    std::map<unsigned, Replacement> parts;
    auto replace = [&](clang::SourceLocation at, const std::string &text) {
      parts[at.getRawEncoding()] = {SourceRange(at, at), text};
    };
    const std::string parameter = isKernel ? "heddle::Counted " + counted : "heddle::Counter &" + counter;
    for (const Replacement &part : changedHead(unit, function, copies.of(function), parameter))
      replace(part.part.getBegin(), part.text);
    if (isKernel)
      replace(function->getBody()->getBeginLoc(),
              Code("{").addf("  heddle::Counter {}({});", counter, counted).str());
    const Uses uses = Uses::of(function->getBody());
    CallChanges calls;
    for (const FunctionDecl *callee : calledFunctions(unit, uses))
      if (counting.contains(callee))
        calls[callee] = {copies.of(callee), counter};
    for (const Replacement &part : changedCalls(unit, uses, calls))
      replace(part.part.getBegin(), part.text);
    std::map<unsigned, std::pair<clang::SourceLocation, unsigned>>
        closing; ///< braces after a body's last token
    for (const Stmt *statement : uses.statements)
      if (isLoop(statement))
        countRounds(statement, replace, closing);
    for (const auto &[location, braces] : closing) {
      std::string text = lastTokenAt(braces.first);
      for (unsigned i = 0; i < braces.second; ++i)
        text += " }";
      replace(braces.first, text);
    }
    std::vector<Replacement> list;
    for (auto &[location, part] : parts)
      list.push_back(std::move(part));
    return insertCopy(context, unit, function, list);
  }

  /// The semicolon, or the brace of a body such as `if (...) {...}`, which the body's new braces follow.
  std::string lastTokenAt(clang::SourceLocation location) const {
    llvm::SmallString<8> buffer;
    return Lexer::getSpelling(unit.sources().getSpellingLoc(location), buffer, unit.sources(),
                              unit.context().getLangOpts())
        .str();
  }

  template <class Replace, class Closing>
  void countRounds(const Stmt *loop, const Replace &replace, Closing &closing) {
    auto *byRange = dyn_cast<CXXForRangeStmt>(loop);
    const Stmt *body = byRange ? byRange->getBody() : bodyOf(loop);
    const std::string step = fmt::format("{{ {}.step();", counter);
    if (isa<CompoundStmt>(body))
      return replace(body->getBeginLoc(), step);
    clang::SourceLocation before;
    std::string word = ") ";
    if (auto *byCount = dyn_cast<ForStmt>(loop))
      before = byCount->getRParenLoc();
    else if (auto *byCondition = dyn_cast<WhileStmt>(loop))
      before = byCondition->getRParenLoc();
    else if (byRange)
      before = byRange->getRParenLoc();
    else
      before = cast<DoStmt>(loop)->getDoLoc(), word = "do ";
    replace(before, word + step);
    const clang::SourceLocation end = source::wholeStatement(unit, body).getEnd();
    auto &braces = closing[end.getRawEncoding()];
    braces = {end, braces.second + 1};
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  Names names;
  CopyNames copies{names, "Counted"};
  std::string counter, counted;
  std::set<const FunctionDecl *> counting;
};

} // namespace

std::optional<std::string> writeCountingKernel(Context &context) { return CountingWriter(context).write(); }

} // namespace heddle::transform
