// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before, all of A comes before all of B. Fused, B(j) comes before A(i) for each i > j. So no element that A
// touches in iteration i and B in an earlier one j may be written by either.
//
//     for (int i = 0; i < n; ++i) a[i] = b[i];          for (int i = 0; i < n; ++i) {
//     for (int j = 0; j < n; ++j) c[j] = a[j];     =>     a[i] = b[i]; c[i] = a[i]; }         legal: same iteration
//     for (int j = 0; j < n; ++j) c[j] = a[j + 1];        refused: a[j + 1] is written an iteration later
//
// 1. Both loops are counted and run over the same values: equal start, bound and step, none of which the first changes.
// 2. Nothing in them keeps its order (LoopLegality), no variable goes from one to the other, and isl finds no such element.
// 3. The second body follows the first in one loop; names that clash get new ones, comments between the loops go along.
#include "transform/loops/Fuse.h"

#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/Names.h"
#include "transform/loops/LoopWork.h"

#include <clang/AST/Decl.h>
#include <llvm/ADT/STLExtras.h>

using namespace clang;

namespace heddle::transform {

using analysis::CountedLoop;
using analysis::LoopStudy;
using analysis::plainStatement;

namespace {

/// What a statement is in, with the attributes that pragmas put around it.
const Stmt *blockOf(const LoopStudy &study, const Stmt *statement) {
  const Stmt *parent = study.parent(statement);
  while (isa_and_nonnull<AttributedStmt>(parent))
    parent = study.parent(parent);
  return parent;
}

/// The statement right behind this one in its block.
const Stmt *nextOf(const Stmt *statement, const Stmt *parent) {
  auto *block = dyn_cast_or_null<CompoundStmt>(parent);
  if (!block)
    return nullptr;
  for (auto at = block->body_begin(); at != block->body_end(); ++at)
    if (plainStatement(*at) == statement)
      return at + 1 == block->body_end() ? nullptr : plainStatement(*(at + 1));
  return nullptr;
}

const ForStmt *loopBehind(const LoopStudy &study, const ForStmt *first) {
  return dyn_cast_or_null<ForStmt>(nextOf(first, blockOf(study, first)));
}

LegalityFailure whyNotSameValues(const LoopStudy &study, const CountedLoop &a, const CountedLoop &b) {
  const analysis::Loop &first = *a.facts, &second = *b.facts;
  LegalityFailure differs = legalityFailure(study.unit.location(b.statement),
                                            "it may not have the same iteration space as the loop at line {}",
                                            study.unit.location(a.statement).line);
  differs->note(study.unit.location(a.statement), "the other loop is here");
  bool isKnown = first.start && second.start && first.step && second.step && first.bound && second.bound &&
                 *first.bound && *second.bound;
  bool isSame = isKnown && *first.start == *second.start && *first.step == *second.step &&
                **first.bound == **second.bound && first.comparison == second.comparison &&
                study.unit.context().hasSameUnqualifiedType(a.variable->getType(), b.variable->getType()) &&
                study.unit.context().hasSameUnqualifiedType(a.bound->getType(), b.bound->getType());
  auto isByText = [](const analysis::Symbol &symbol) {
    return symbol.name.find_first_of("[@") != std::string::npos;
  };
  if (isSame && !first.start->mentionsAny(isByText) && !(**first.bound).mentionsAny(isByText) &&
      !first.step->mentionsAny(isByText))
    return std::nullopt;
  return differs;
}

LegalityFailure whyNotFuse(const LoopStudy &study, const CountedLoop &a, const CountedLoop &b) {
  for (const CountedLoop *loop : {&a, &b}) {
    if (LegalityFailure exit = analysis::exitOfLoop(study.unit, loop->body()))
      return exit;
    if (LegalityFailure effect = analysis::reasonAgainstReordering(study.unit, loop->statement))
      return effect;
  }
  if (LegalityFailure differs = whyNotSameValues(study, a, b))
    return differs;
  std::vector<analysis::OuterVariable> inFirst = study.outerVariables(a.statement),
                                       inSecond = study.outerVariables(b.statement);
  for (const analysis::OuterVariable &one : inFirst)
    for (const analysis::OuterVariable &other : inSecond)
      if (one.variable == other.variable && (one.write || other.write)) {
        const DeclRefExpr *use = other.mentions.front(),
                          *before = one.write ? one.write : one.mentions.front();
        LegalityFailure shared = legalityFailure(study.unit.location(use),
                                                 "'{}' is changed by one of the loops and used by the other",
                                                 one.variable->getNameAsString());
        shared->note(study.unit.location(before), "the other loop has it here");
        return shared;
      }
  analysis::Iterations turned{LoopStudy::around(a.facts), {{a.facts, b.facts, {}, -1}}};
  if (auto found =
          study.dependence(study.accessesIn(a.statement), study.accessesIn(b.statement), turned, a.statement))
    return analysis::refusalOf(*found, "and would come before it");
  return std::nullopt;
}

/// Variables declared right in a body: those that meet others when two bodies become one.
std::vector<const VarDecl *> declaredIn(const Stmt *body) {
  std::vector<const VarDecl *> list;
  for (const Stmt *statement : analysis::statementsOf(body))
    llvm::append_range(list, analysis::declaredBy(statement));
  return list;
}

class Fuser {
public:
  Fuser(const LoopTask &task, const CountedLoop &a, const CountedLoop &b)
      : task(task), unit(task.study.unit), a(a), b(b), text(unit), names(unit) {}

  LegalityFailure run() {
    if (LegalityFailure hidden = whyNamesClash())
      return hidden;
    chooseNames();
    Code body = bodyOf(a.body(), inFirst);
    body.add(commentsBefore(b.statement));
    if (!secondBegins.empty())
      body.addf("const {};", secondBegins);
    body.add(bodyOf(b.body(), inSecond));
    const Code fused = Code::braces(text.head(a.statement), body, text.stepOf(a.statement, a.body()));
    if (text.failure)
      return text.failure;
    SourceRange both(a.statement->getForLoc(), source::wholeStatement(unit, b.statement).getEnd());
    text.replace(task.context.edits, both, fused);
    task.context.done("the loops at lines {} and {} became one", unit.location(a.statement).line,
                      unit.location(b.statement).line);
    return std::nullopt;
  }

private:
  /// In the fused loop the first loop's variable is seen by the second body too.
  LegalityFailure whyNamesClash() const {
    if (LegalityFailure shadowed = hiddenBy(a.variable->getName()))
      return shadowed;
    for (const VarDecl *variable : declaredIn(a.body()))
      if (LegalityFailure shadowed = hiddenBy(variable->getName()))
        return shadowed;
    for (const CountedLoop *loop : {&a, &b})
      for (const Stmt *statement : analysis::statementsOf(loop->body()))
        if (auto *declaration = dyn_cast<DeclStmt>(statement))
          for (const Decl *one : declaration->decls())
            if (!isa<VarDecl>(one) || isa<DecompositionDecl>(one))
              return legalityFailure(unit.location(statement),
                                     "the loop declares something that is no variable");
    return std::nullopt;
  }
  LegalityFailure hiddenBy(llvm::StringRef name) const {
    for (const DeclRefExpr *reference : Uses::of(b.body()).locals) {
      auto *variable = cast<VarDecl>(reference->getDecl());
      if (variable != b.variable && variable->getName() == name && !task.study.isInside(variable, b.body()))
        return legalityFailure(unit.location(reference), "'{}' is another variable in the first loop",
                               name.str());
    }
    return std::nullopt;
  }

  void chooseNames() {
    if (a.name() != b.name() && isDeclaredIn(b.body(), a.name()))
      secondBegins = source::declareAs(unit, b.variable, b.name() + " = " + a.name()).value_or("");
    else if (a.name() != b.name())
      rename(b.variable, a.name());
    std::set<std::string> taken;
    for (const VarDecl *variable : declaredIn(a.body()))
      taken.insert(variable->getNameAsString());
    for (const VarDecl *variable : declaredIn(b.body()))
      if (taken.contains(variable->getNameAsString()) || variable->getName() == a.variable->getName()) {
        const std::string name = names.fresh(variable->getNameAsString());
        rename(variable, name);
        inSecond.push_back({variable->getLocation(), name});
      }
  }
  /// At any depth: a mention of the loop's variable might be captured there.
  static bool isDeclaredIn(const Stmt *body, const std::string &name) {
    return llvm::any_of(Uses::of(body).declared(),
                        [&](const VarDecl *variable) { return variable->getName() == name; });
  }
  void rename(const VarDecl *variable, const std::string &name) {
    llvm::append_range(inSecond, renamed(b.body(), [&](const DeclRefExpr *mention) {
                         return mention->getDecl() == variable ? std::optional(name) : std::nullopt;
                       }));
  }

  /// What the text says between the two loops; pragmas for the second one are dropped with it.
  Code commentsBefore(const ForStmt *loop) {
    for (const source::BlockPart &part : text.block(blockOf(task.study, loop)).parts)
      if (part.statement == loop)
        return part.lead.withoutPragmas();
    return {};
  }

  Code bodyOf(const Stmt *body, const std::vector<Replacement> &all) {
    Code result;
    source::BlockText block = text.block(body);
    for (const source::BlockPart &part : block.parts)
      result.add(part.around(text.statement(part.statement, within(part.statement, all))));
    return result.add(block.end);
  }
  std::vector<Replacement> within(const Stmt *statement, const std::vector<Replacement> &all) const {
    std::vector<Replacement> parts;
    source::TokenEdit tokens = source::tokensOf(unit, source::wholeStatement(unit, statement));
    for (const Replacement &one : all) {
      source::TokenEdit at = source::tokensOf(unit, one.part);
      if (at.begin >= tokens.begin && at.end <= tokens.end)
        parts.push_back(one);
    }
    return parts;
  }

  const LoopTask &task;
  const Unit &unit;
  const CountedLoop &a, &b;
  source::Rewriter text;
  Names names;
  std::vector<Replacement> inFirst, inSecond;
  std::string secondBegins; ///< a declaration of the second loop's variable, where it keeps its name
};

LegalityFailure fuse(const LoopTask &task) {
  const LoopStudy &study = task.study;
  auto *statement = cast<ForStmt>(task.subject);
  const ForStmt *behind = loopBehind(study, statement);
  if (!behind)
    return legalityFailure(study.unit.location(statement), "no 'for' loop directly follows this one");
  if (source::hasConditionalText(study.unit, {statement->getBeginLoc(), behind->getEndLoc()}))
    return legalityFailure(study.unit.location(behind),
                           "there is a directive of the preprocessor between the loops");
  std::variant<CountedLoop, Diagnostic> a = study.counted(statement), b = study.counted(behind);
  for (auto *loop : {&a, &b})
    if (auto *refusal = std::get_if<Diagnostic>(loop))
      return *refusal;
  if (LegalityFailure reason = whyNotFuse(study, std::get<CountedLoop>(a), std::get<CountedLoop>(b)))
    return reason;
  return task.edits ? Fuser(task, std::get<CountedLoop>(a), std::get<CountedLoop>(b)).run() : std::nullopt;
}

} // namespace

PassResult fuseLoops(Context &context) { return carryOutOn(context, fuse); }

std::vector<const Stmt *> loopsToFuse(const Kernel &kernel) {
  std::vector<const Stmt *> found;
  source::forEachEvaluated(kernel.function->getBody(), [&](const Stmt *part) {
    if (auto *block = dyn_cast<CompoundStmt>(part))
      for (auto at = block->body_begin(); at != block->body_end() && at + 1 != block->body_end(); ++at)
        if (isa<ForStmt>(plainStatement(*at)) && isa<ForStmt>(plainStatement(*(at + 1))))
          found.push_back(plainStatement(*at));
    return true;
  });
  return found;
}

} // namespace heddle::transform
