// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the statements do what the head did:
//
//   - What a head does first is done right before the statement, in the same order. Where only some of the
//     declared variables are taken out, none of their first values has an effect or mentions one that stays.
//   - What a `for` does after each iteration is done at the end of its body and before each of its
//     `continue`s. Nothing lies between that and the next evaluation of the condition but the rest of the
//     same part, of which nothing is left that shares a variable with what comes after it.
//   - A condition that declares a variable is evaluated at the beginning of the body, which it leaves where
//     the variable converts to false.
//
// Variables may live longer than before, up to the end of the block that the statement is in; a block of its
// own keeps them to themselves where their names or their destructors would change the meaning.
#include "transform/work/HeadWork.h"

#include "analysis/OutwardEffects.h"
#include "analysis/StatementShape.h"
#include "source/DeclaredType.h"
#include "source/FlowGraph.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "transform/Names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Tooling/Syntax/Tokens.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::continuesOut;
using analysis::declaredBy;

namespace {

// Taking heads apart
// -------------------------------------------------------------------------------------------------

/// The operands of `a, b, c`.
void operandsOf(const Expr *expression, std::vector<const Expr *> &operands) {
  auto *comma = dyn_cast<BinaryOperator>(expression);
  if (!comma || comma->getOpcode() != BO_Comma)
    return operands.push_back(expression);
  operandsOf(comma->getLHS(), operands);
  operandsOf(comma->getRHS(), operands);
}

class HeadSplitter {
public:
  HeadSplitter(Context &context, const Kernel &kernel, const HeadWork &head, Names &names,
               source::Edits &edits)
      : edits(edits), unit(*kernel.unit), rewriter(unit), kernel(kernel), head(head), names(names),
        definitions(context.facts(kernel).uniformity->definitions()) {}

  std::optional<Diagnostic> run() {
    if (auto *loop = dyn_cast<ForStmt>(head.statement))
      splitFor(loop);
    else if (auto *range = dyn_cast<CXXForRangeStmt>(head.statement))
      countThrough(range);
    else if (auto *whileLoop = dyn_cast<WhileStmt>(head.statement))
      splitWhile(whileLoop);
    else if (auto *branch = dyn_cast<IfStmt>(head.statement))
      splitBranch(branch->getInit(), branch->getConditionVariable(), branch->getConditionVariableDeclStmt(),
                  branch->getCond());
    else if (auto *choice = dyn_cast<SwitchStmt>(head.statement))
      splitBranch(choice->getInit(), choice->getConditionVariable(), choice->getConditionVariableDeclStmt(),
                  choice->getCond());
    else if (auto *doLoop = dyn_cast<DoStmt>(head.statement))
      checkCondition(doLoop->getCond());
    refused = refused ? refused : rewriter.failure;
    if (!refused && before.empty() && !isChanged)
      refuse(head.statement, "the head of this statement around a barrier has side effects per thread, which "
                             "cannot be moved in front of it");
    if (!refused)
      writeBefore();
    return refused;
  }

private:
  // Reading
  // ---------------------------------------------------------------------------------------------------------

  void refuse(const Stmt *where, std::string why, std::string hint = {}) {
    if (!refused)
      refused = legalityFailure(unit.location(where), std::move(why)).withHint(std::move(hint));
  }

  /// The text of a declaration or expression, without the semicolon that may belong to it.
  std::string textOf(const Stmt *code) {
    return llvm::StringRef(rewriter.text(code)).rtrim("; \t\r\n").str();
  }

  bool isOwn(const VarDecl *variable) const { return head.variables.contains(variable); }

  /// It changes a variable of which each item has its own, or something else that each item must change.
  bool isItemWork(const Expr *part) const {
    const Uses uses = Uses::of(part);
    return hasEffect(uses) || std::ranges::any_of(uses.locals, [&](const DeclRefExpr *reference) {
             return isOwn(cast<VarDecl>(reference->getDecl())) &&
                    source::isChanged(reference, definitions.graph());
           });
  }

  static bool shareVariable(const Expr *a, const Expr *b) {
    const Uses second = Uses::of(b);
    return Uses::of(a).mentionsAny([&](const VarDecl *variable) { return second.mentions(variable); });
  }

  bool checkCondition(const Expr *decides) {
    if (!decides || !isItemWork(decides))
      return true;
    refuse(decides, "the condition of the loop or branch around a barrier has a side effect per thread",
           "make the change in a statement of its own");
    return false;
  }

  // Statements
  // ------------------------------------------------------------------------------------------------------

  void splitFor(const ForStmt *loop) {
    if (!checkCondition(loop->getConditionVariable() ? nullptr : loop->getCond()))
      return;
    if (loop->getInit())
      takeFirstPart(loop);
    if (loop->getConditionVariable() && isOwn(loop->getConditionVariable()))
      decideInside(loop->getConditionVariable(), loop->getConditionVariableDeclStmt(), loop->getBody(), "");
    if (loop->getInc())
      takeIncrements(loop);
  }

  void takeFirstPart(const ForStmt *loop) {
    const Stmt *init = loop->getInit();
    auto *declarations = dyn_cast<DeclStmt>(init);
    if (!declarations) {
      if (auto *expression = dyn_cast<Expr>(init); expression && isItemWork(expression)) {
        std::vector<const Expr *> operands; // apart: some may be the same for all items
        operandsOf(expression, operands);
        for (const Expr *operand : operands)
          before.push_back(textOf(operand) + ";");
        edits.replace(unit, init->getSourceRange(), "");
      }
      return;
    }
    std::vector<const VarDecl *> own, others;
    for (const VarDecl *variable : declaredBy(init))
      (isOwn(variable) || hasEffect(Uses::of(variable->getInit())) ? own : others).push_back(variable);
    if (own.empty())
      return;
    const bool isPair =
        others.size() == 1 && size_t(std::ranges::distance(declarations->decls())) == own.size() + 1;
    const std::optional<std::string> kept = isPair ? declared(others.front()) : std::nullopt;
    std::vector<std::string> apart;
    for (const VarDecl *variable : own)
      apart.push_back(declared(variable).value_or(""));
    const bool areIndependent =
        kept && std::ranges::none_of(apart, &std::string::empty) && mayBeSeparated(own, others.front());
    llvm::append_range(hoisted, own);
    if (areIndependent) {
      for (const std::string &text : apart)
        before.push_back(text + ";");
      edits.replace(unit, contentOf(declarations), *kept);
      return;
    }
    llvm::append_range(hoisted, others);
    before.push_back(textOf(init) + ";");
    edits.replace(unit, contentOf(declarations), "");
  }

  bool hasEffect(const Uses &uses) const {
    return std::ranges::any_of(head.effects,
                               [&](const Stmt *effect) { return uses.statements.contains(effect); });
  }

  /// None of the first values depends on the order in which they are computed.
  bool mayBeSeparated(const std::vector<const VarDecl *> &own, const VarDecl *kept) const {
    auto isOrdered = [&](const VarDecl *variable) {
      return variable->getInit() && (variable->getInit()->HasSideEffects(unit.context()) ||
                                     analysis::effectBeyondLocals(unit, variable->getInit()));
    };
    return !isOrdered(kept) && std::ranges::none_of(own, [&](const VarDecl *each) {
      return isOrdered(each) || Uses::of(each->getInit()).mentions(kept);
    });
  }

  /// "int j = threadIdx.x" of one of several variables; nothing where it cannot be written by itself.
  std::optional<std::string> declared(const VarDecl *variable) {
    const QualType type = variable->getType();
    const bool isPlain = !type->isArrayType() && !type->isRecordType() && !type->isReferenceType();
    const Expr *value = variable->getInit();
    if (!isPlain || !value || variable->getInitStyle() == VarDecl::CallInit)
      return std::nullopt;
    std::optional<std::string> left = source::redeclare(unit, variable, variable->getNameAsString());
    if (!left)
      return std::nullopt;
    return *left + (variable->getInitStyle() == VarDecl::ListInit ? "" : " = ") +
           rewriter.text(value->getSourceRange());
  }

  /// A declaration without the semicolon that Clang counts to it.
  SourceRange contentOf(const DeclStmt *declarations) const {
    const source::TokenEdit tokens = source::tokensOf(unit, declarations->getSourceRange());
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    size_t last = tokens.end - 1;
    if (all[last].kind() == tok::semi)
      --last;
    return {declarations->getBeginLoc(), all[last].location()};
  }

  void takeIncrements(const ForStmt *loop) {
    std::vector<const Expr *> operands, taken, kept;
    operandsOf(loop->getInc(), operands);
    for (const Expr *operand : operands) {
      const bool goesBefore = isItemWork(operand) && std::ranges::any_of(kept, [&](const Expr *earlier) {
                                return shareVariable(earlier, operand);
                              });
      if (goesBefore) { // it must see what they did
        taken = operands;
        kept.clear();
        break;
      }
      (isItemWork(operand) ? taken : kept).push_back(operand);
    }
    if (taken.empty())
      return;
    const auto textsOf = [&](const std::vector<const Expr *> &each, const char *end) {
      std::vector<std::string> texts;
      texts.reserve(each.size());
      for (const Expr *operand : each)
        texts.push_back(textOf(operand) + end);
      return texts;
    };
    const std::string statements = llvm::join(textsOf(taken, ";"), " ");
    isChanged = true;
    edits.replace(unit, loop->getInc()->getSourceRange(), llvm::join(textsOf(kept, ""), ", "));
    const Stmt *body = loop->getBody();
    for (const Stmt *jump : continuesOut(body))
      if (jump != body)
        edits.replace(unit, source::wholeStatement(unit, jump), "{ " + statements + " continue; }");
    putAtEnd(body, statements);
  }

  void putAtEnd(const Stmt *body, const std::string &statements) {
    if (auto *block = dyn_cast<CompoundStmt>(body)) {
      if (isFirstOnLine(block->getRBracLoc()))
        rewriter.insertOnLine(edits, block->getRBracLoc(), Code(statements).deeper());
      else
        edits.insertBefore(unit, block->getRBracLoc(), statements + " ");
      return;
    }
    const SourceRange whole = source::wholeStatement(unit, body);
    openBody(whole.getBegin());
    edits.insertAfter(unit, whole.getEnd(), " " + statements + " }");
    closedBody = true;
  }

  /// An opening brace before a body that has none.
  void openBody(clang::SourceLocation first) {
    if (!openedBody)
      edits.insertBefore(unit, first, "{ ");
    openedBody = true;
  }

  /// `T v = e` becomes a statement at the beginning of the body, with the way out of the loop.
  void decideInside(const VarDecl *variable, const DeclStmt *declaration, const Stmt *body,
                    const std::string &instead) {
    const std::string text =
        fmt::format("{}; if (!{}) break;", textOf(declaration), variable->getNameAsString());
    edits.replace(unit, contentOf(declaration), instead);
    putAtBeginning(body, text);
  }

  void putAtBeginning(const Stmt *body, const std::string &text) {
    isChanged = true;
    if (auto *block = dyn_cast<CompoundStmt>(body)) {
      edits.insertAfter(unit, block->getLBracLoc(), " " + text);
      return;
    }
    const SourceRange whole = source::wholeStatement(unit, body);
    openedBody = true;
    edits.insertBefore(unit, whole.getBegin(), "{ " + text + " ");
    if (!closedBody && !needsIncrements())
      edits.insertAfter(unit, whole.getEnd(), " }");
  }

  /// The body's closing brace comes with what is put at its end.
  bool needsIncrements() const {
    auto *loop = dyn_cast<ForStmt>(head.statement);
    std::vector<const Expr *> operands;
    if (loop && loop->getInc())
      operandsOf(loop->getInc(), operands);
    return std::ranges::any_of(operands, [&](const Expr *each) { return isItemWork(each); });
  }

  void splitWhile(const WhileStmt *loop) {
    if (!loop->getConditionVariable())
      return void(checkCondition(loop->getCond()));
    decideInside(loop->getConditionVariable(), loop->getConditionVariableDeclStmt(), loop->getBody(), "true");
  }

  void splitBranch(const Stmt *init, const VarDecl *variable, const DeclStmt *declaration,
                   const Expr *decides) {
    if (!variable && !checkCondition(decides))
      return;
    const bool isVariableOwn = variable && isOwn(variable);
    // What comes first may be what the condition's variable is made of.
    if (init && (isVariableOwn || isItemStatement(init)))
      takeOut(init);
    if (isVariableOwn) {
      putBefore(declaration);
      edits.replace(unit, contentOf(declaration), variable->getNameAsString());
    }
  }

  bool isItemStatement(const Stmt *init) const {
    if (auto *expression = dyn_cast<Expr>(init))
      return isItemWork(expression);
    return std::ranges::any_of(declaredBy(init), [&](const VarDecl *variable) {
      return isOwn(variable) || hasEffect(Uses::of(variable->getInit()));
    });
  }

  /// A statement before the head's own, with what it declares.
  void putBefore(const Stmt *first) {
    before.push_back(textOf(first) + ";");
    llvm::append_range(hoisted, declaredBy(first));
  }
  /// `init;` of a branch, its semicolon included.
  void takeOut(const Stmt *init) {
    putBefore(init);
    source::TokenEdit tokens = source::tokensOf(unit, init->getSourceRange());
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    size_t last = tokens.end - 1;
    if (all[last].kind() != tok::semi && tokens.end < all.size() && all[tokens.end].kind() == tok::semi)
      last = tokens.end;
    edits.replace(unit, {init->getBeginLoc(), all[last].location()}, "");
  }

  /// `for (T x : array)` with a counter.
  void countThrough(const CXXForRangeStmt *loop) {
    const Expr *array = loop->getRangeInit() ? loop->getRangeInit()->IgnoreParenImpCasts() : nullptr;
    const VarDecl *variable = loop->getLoopVariable();
    auto *type = array ? unit.context().getAsConstantArrayType(array->getType()) : nullptr;
    const bool isNamed = array && (isa<DeclRefExpr>(array) || isa<MemberExpr>(array)) &&
                         !array->HasSideEffects(unit.context());
    if (!type || !isNamed || !variable || isa<DecompositionDecl>(variable))
      return refuse(loop,
                    "a barrier in a range-based loop over something else than an array: what its iterator "
                    "does is not known",
                    "write it as a loop that counts");
    if (loop->getInit())
      putBefore(loop->getInit());
    const std::string counter = names.fresh("at"), text = rewriter.text(array->getSourceRange());
    const std::string size = kernel.isInstantiation ? fmt::format("sizeof({0}) / sizeof({0}[0])", text)
                                                    : std::to_string(type->getSize().getZExtValue());
    const std::string element = rewriter.text(SourceRange(variable->getBeginLoc(), variable->getLocation()));
    const clang::SourceLocation first =
        loop->getInit() ? loop->getInit()->getBeginLoc() : clang::SourceLocation(variable->getBeginLoc());
    edits.replace(unit, {first, array->getEndLoc()},
                  fmt::format("unsigned {0} = 0; {0} < {1}; ++{0}", counter, size));
    putAtBeginning(loop->getBody(), fmt::format("{} = {}[{}];", element, text, counter));
  }

  // Writing
  // ---------------------------------------------------------------------------------------------------------

  bool isFirstOnLine(clang::SourceLocation begin) const {
    return unit.location(begin).column == rewriter.indentOf(begin).size() + 1;
  }

  /// The statement with the attributes that pragmas put around it, and what that is in.
  const Stmt *whole() const {
    const Stmt *statement = head.statement;
    while (auto *attributed = dyn_cast_or_null<AttributedStmt>(definitions.graph().parent(statement)))
      statement = attributed;
    return statement;
  }

  bool needsBlock() const {
    const Stmt *around = definitions.graph().parent(whole());
    auto *block = dyn_cast_or_null<CompoundStmt>(around);
    if (!block ||
        std::ranges::any_of(block->body(), [](const Stmt *each) { return isa<SwitchCase, LabelStmt>(each); }))
      return true;
    return std::ranges::any_of(hoisted, [&](const VarDecl *variable) {
      return variable->needsDestruction(unit.context()) != QualType::DK_none || isNameShared(variable);
    });
  }

  bool isNameShared(const VarDecl *variable) const {
    unsigned count = 0;
    for (const ParmVarDecl *parameter : kernel.function->parameters())
      count += parameter->getName() == variable->getName();
    for (const Stmt *statement : Uses::of(kernel.function->getBody()).statements)
      if (auto *declarations = dyn_cast<DeclStmt>(statement))
        for (const Decl *each : declarations->decls())
          if (auto *named = dyn_cast<NamedDecl>(each))
            count += named->getDeclName() == variable->getDeclName();
    return count > 1;
  }

  void writeBefore() {
    if (before.empty())
      return;
    const Stmt *statement = whole();
    const bool isBlock = needsBlock();
    Code lines = isBlock ? "{ " : "";
    for (const std::string &line : before)
      &line == &before.front() ? lines.join(line) : lines.add(line);
    if (statement == head.statement)
      rewriter.insertOnLine(edits, statement->getBeginLoc(), lines);
    else // a pragma's line lies between what precedes it and the loop
      rewriter.insertBefore(edits, head.statement, lines);
    if (isBlock)
      edits.insertAfter(unit, source::wholeStatement(unit, head.statement).getEnd(), " }");
  }

  source::Edits &edits;
  const Unit &unit;
  source::Rewriter rewriter;
  const Kernel &kernel;
  const HeadWork &head;
  Names &names;
  const source::ReachingDefinitions &definitions;
  std::vector<std::string> before;      ///< statements, in order
  std::vector<const VarDecl *> hoisted; ///< that they declare
  bool openedBody = false, closedBody = false, isChanged = false;
  std::optional<Diagnostic> refused;
};

} // namespace

std::variant<Needs, Diagnostic> takeHeadsApart(Context &context, const Kernel &kernel,
                                               const std::vector<HeadWork> &heads) {
  Names names(*kernel.unit);
  source::Edits edits;
  // One inside another waits for the text to be read again: both may change the same place.
  std::set<const Stmt *> inside;
  for (const HeadWork &head : heads)
    for (const Stmt *part : Uses::of(head.statement).statements)
      if (part != head.statement)
        inside.insert(part);
  for (const HeadWork &head : heads)
    if (inside.contains(head.statement))
      continue;
    else if (std::optional<Diagnostic> refused = HeadSplitter(context, kernel, head, names, edits).run())
      return *refused;
  return Needs{"head-work", std::move(edits)};
}

} // namespace heddle::transform
