// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Following statements: what a thread may do, in the order in which it does it.
//
// A path is at one point of the kernel and knows the values of local variables and the conditions that hold
// there. Following a statement takes it to the point behind. Where control divides, each way is followed from
// the same state, and the states are joined behind:
//
//     int x = 0;
//     if (n > 3) x = 1;       a Branch event with two Sequences; after it x is a symbol "x@2", since n is
//     a[i + x] = 0;           the same for all threads; if it were not, x would have no value
//     if (i >= n) return;     one way ends here: after it i < n holds, to the end of the block
//
// 1. `follow` dispatches on the kind of statement and returns whether control can go on after it.
// 2. `if` and `switch` note the changes of each way, undo them, and join them (Join.h). A way that ends does
//    not take part, and teaches its negated condition to what follows.
// 3. Loops are followed once, for any iteration (Loops.cpp); calls are followed into their bodies (Calls.cpp).
// 4. What the walk cannot follow is a gap, and the facts say so: a `goto` that is no `continue` (Jumps.cpp), a
//    `case` inside another statement of its switch, a kernel that is too large.
//
// The state is changed in place with a journal instead of copied, so that a branch costs what it changes.
// Cost: linear in the text, times the call paths that lead to a function, up to `maxSteps`.
#include "analysis/walk/Statements.h"

#include "analysis/Barriers.h"
#include "analysis/walk/Expressions.h"
#include "analysis/walk/Jumps.h"
#include "analysis/walk/Loops.h"
#include "analysis/walk/Lvalues.h"
#include "analysis/walk/Memory.h"

#include <clang/AST/StmtCXX.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

/// A generated kernel of 20,000 lines has about 400,000 sub-expressions. Beyond this the walk stops: what
/// follows calls inside calls would otherwise take time without bound.
constexpr unsigned maxSteps = 3'000'000;

bool followCompound(const CompoundStmt *statement, Path &path) {
  // What an early exit inside this block taught us ends with the block: behind `if (a) { if (b) return; }`
  // only "a implies not b" holds. The outermost block of the kernel never ends, so there it lasts.
  const Guards before = path.guards;
  bool goesOn = true;
  for (const Stmt *child : statement->body()) {
    // After a jump only labels are reached; a switch follows its cases by itself.
    const auto *label = dyn_cast<LabelStmt>(child);
    if (label && isJoinedByGoto(label, statement, path)) {
      enterLabel(label, path);
      goesOn = true;
    }
    goesOn = goesOn && follow(child, path);
  }
  path.guards = before;
  return goesOn;
}

bool followIf(const IfStmt *statement, Path &path) {
  if (statement->getInit())
    follow(statement->getInit(), path);
  if (const DeclStmt *declared = statement->getConditionVariableDeclStmt())
    follow(declared, path);
  Condition decision = evaluateCondition(statement->getCond(), path);
  if (decision.isAlways(true) || decision.isAlways(false)) {
    const Stmt *taken = decision.isAlways(true) ? statement->getThen() : statement->getElse();
    return taken ? follow(taken, path) : true;
  }

  Event *outer = path.sequence;
  Event *branch = append(Event::Kind::Branch, path);
  auto followWay = [&](const Stmt *way, const Condition &holds, bool negated) {
    path.sequence = branch;
    path.sequence = append(Event::Kind::Sequence, path);
    Guards before = path.guards;
    guard(holds, statement->getCond(), negated, path);
    bool goesOn = follow(way, path);
    path.guards = before;
    return goesOn;
  };
  size_t mark = path.now.mark();
  bool thenGoesOn = followWay(statement->getThen(), decision, false);
  Environment::Changes afterThen = path.now.undo(mark);
  mark = path.now.mark();
  bool elseGoesOn = followWay(statement->getElse(), decision.negated(), true);
  path.sequence = outer;

  if (!thenGoesOn) {
    path.now.keep(mark);
  } else {
    Environment::Changes afterElse = path.now.undo(mark);
    path.now.apply(elseGoesOn ? joined(afterThen, afterElse, decision, path.location(statement), path)
                              : afterThen);
  }
  // `if (i >= n) return;` teaches everything after it that i < n.
  if (thenGoesOn != elseGoesOn)
    guard(thenGoesOn ? decision : decision.negated(), statement->getCond(), !thenGoesOn, path);
  return thenGoesOn || elseGoesOn;
}

size_t casesOf(const SwitchStmt *statement) {
  size_t count = 0;
  for (const SwitchCase *each = statement->getSwitchCaseList(); each; each = each->getNextSwitchCase())
    ++count;
  return count;
}

bool followSwitch(const SwitchStmt *statement, Path &path) {
  if (statement->getInit())
    follow(statement->getInit(), path);
  if (const DeclStmt *declared = statement->getConditionVariableDeclStmt())
    follow(declared, path);
  Value selector = evaluate(statement->getCond(), path);
  const bool isUniform = selector.integer && !selector.integer->dependsOnThread();
  // Uniform and unknown: "is it this case" is a decision all threads take alike, whatever it is.
  Condition someCase =
      isUniform ? Condition{Condition::Kind::Equal, *selector.integer, {}} : Condition::unknown();

  Event *outer = path.sequence;
  Event *branch = append(Event::Kind::Branch, path);
  path.sequence = branch;
  append(Event::Kind::Sequence, path); // no case may match
  path.sequence = branch;
  path.sequence = append(Event::Kind::Sequence, path);
  Guards guardsBefore = path.guards;
  size_t mark = path.now.mark();
  Environment::Changes atEnd; // no case matched
  const auto *body = dyn_cast<CompoundStmt>(statement->getBody());
  std::vector<const Stmt *> children{statement->getBody()};
  if (body)
    children.assign(body->body_begin(), body->body_end());
  bool isReached = false;
  size_t casesSeen = 0;
  for (const Stmt *child : children) {
    std::vector<const Expr *> labels;
    while (const auto *label = dyn_cast<SwitchCase>(child)) {
      if (const auto *one = dyn_cast<CaseStmt>(label); one && !one->getRHS())
        labels.push_back(one->getLHS());
      else
        labels.push_back(nullptr);
      child = label->getSubStmt();
    }
    casesSeen += labels.size();
    if (!labels.empty()) {
      // A new sequence for each case: barriers in one do not order what another does.
      Environment::Changes fallenInto = path.now.undo(mark);
      mark = path.now.mark();
      if (isReached)
        path.now.apply(joined(fallenInto, {}, someCase, path.location(child), path));
      path.guards = guardsBefore;
      if (!isReached && labels.size() == 1 && labels[0] && selector.integer) {
        Value wanted = evaluate(labels[0], path);
        if (wanted.integer)
          guard(Condition::compare(*selector.integer, "==", *wanted.integer), statement->getCond(), false,
                path);
      }
      if (!isReached) {
        path.sequence = branch;
        path.sequence = append(Event::Kind::Sequence, path);
      }
      isReached = true;
    }
    if (isReached && !follow(child, path)) {
      atEnd = joined(atEnd, path.now.since(mark), someCase, path.location(child), path);
      isReached = false;
    }
  }
  if (isReached)
    atEnd = joined(atEnd, path.now.since(mark), someCase, path.location(statement), path);
  if (casesSeen < casesOf(statement))
    noteGap(statement, "a case inside another statement of its switch is not analyzed", path);
  path.now.undo(mark);
  path.now.apply(atEnd);
  path.guards = guardsBefore;
  path.sequence = outer;
  return true;
}

bool followReturn(const ReturnStmt *statement, Path &path) {
  const Expr *what = statement->getRetValue();
  Value value = Value::unknown("nothing is returned", path.location(statement));
  if (what && what->isGLValue()) {
    LValue returned = locate(what, path);
    path.frames.back().returnedLvalue = std::move(returned);
  } else if (what) {
    value = evaluate(what, path);
  }
  if (path.isInKernel())
    return false;
  Frame &frame = path.frames.back();
  if (frame.returned)
    frame.returned = joined({nullptr, "the result"}, *frame.returned, value, Condition::unknown(),
                            path.location(statement), path);
  else
    frame.returned = value;
  Environment::Changes here = path.now.since(frame.mark);
  frame.atReturn = frame.atReturn
                       ? joined(*frame.atReturn, here, Condition::unknown(), path.location(statement), path)
                       : here;
  return false;
}

void declare(const VarDecl *variable, Path &path) {
  const Expr *initial = variable->getInit();
  QualType type = variable->getType();
  if (type->isReferenceType()) {
    if (!initial)
      return;
    LValue bound = locate(initial, path);
    if (bound.kind == LValue::Kind::Unknown && !initial->isGLValue())
      bound = {};
    path.now.references[variable] = bound;
    return;
  }
  if (variable->hasGlobalStorage() || type->isArrayType()) {
    // __shared__ and static variables have no initial value of interest; an initialised local array is
    // written.
    if (initial && !variable->hasGlobalStorage())
      evaluate(initial, path);
    return;
  }
  path.now.clear(variable);
  if (!initial) {
    path.now.set({variable, ""}, Value::unknown("not initialised", path.location(path.statement)));
    return;
  }
  path.now.set({variable, ""}, evaluate(initial, path));
  if (type->isRecordType())
    copyMembers(variable, initial, path);
}

void followDeclaration(const DeclStmt *statement, Path &path) {
  for (const Decl *declared : statement->decls())
    if (const auto *variable = dyn_cast<VarDecl>(declared))
      declare(variable, path);
}

void followAssembly(const Stmt *statement, Path &path) {
  const auto *assembly = cast<GCCAsmStmt>(statement);
  for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
    evaluate(assembly->getInputExpr(i), path);
  for (unsigned i = 0; i < assembly->getNumOutputs(); ++i) {
    LValue target = locate(assembly->getOutputExpr(i), path);
    store(target, Value::unknown("set by inline assembly", path.location(statement)),
          assembly->getOutputExpr(i)->getType(), assembly->getOutputExpr(i), path);
  }
  if (std::optional<Barrier> found = barrierAt(statement, path.context))
    noteBarrier(*found, statement, path);
}

} // namespace

bool follow(const Stmt *statement, Path &path) {
  if (!statement)
    return true;
  if (++path.steps > maxSteps) {
    noteGap(statement, "the kernel is too large to be followed further", path);
    return false;
  }
  const Stmt *outer = std::exchange(path.statement, statement);
  bool goesOn = true;
  switch (statement->getStmtClass()) {
  case Stmt::CompoundStmtClass: goesOn = followCompound(cast<CompoundStmt>(statement), path); break;
  case Stmt::IfStmtClass: goesOn = followIf(cast<IfStmt>(statement), path); break;
  case Stmt::SwitchStmtClass: goesOn = followSwitch(cast<SwitchStmt>(statement), path); break;
  case Stmt::ReturnStmtClass: goesOn = followReturn(cast<ReturnStmt>(statement), path); break;
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass: goesOn = false; break;
  case Stmt::GotoStmtClass:
    noteGoto(cast<GotoStmt>(statement), path);
    goesOn = false;
    break;
  case Stmt::IndirectGotoStmtClass:
    noteGap(statement, "a jump to an address is not analyzed", path);
    goesOn = false;
    break;
  case Stmt::DeclStmtClass: followDeclaration(cast<DeclStmt>(statement), path); break;
  case Stmt::GCCAsmStmtClass: followAssembly(statement, path); break;
  case Stmt::AttributedStmtClass: goesOn = follow(cast<AttributedStmt>(statement)->getSubStmt(), path); break;
  case Stmt::LabelStmtClass: goesOn = follow(cast<LabelStmt>(statement)->getSubStmt(), path); break;
  case Stmt::ForStmtClass: {
    const auto *loopStatement = cast<ForStmt>(statement);
    follow(loopStatement->getInit(), path);
    goesOn = followLoop(
        {loopStatement, loopStatement->getBody(), loopStatement->getCond(), loopStatement->getInc()}, path);
    break;
  }
  case Stmt::WhileStmtClass: {
    const auto *loopStatement = cast<WhileStmt>(statement);
    goesOn = followLoop({loopStatement, loopStatement->getBody(), loopStatement->getCond(), nullptr}, path);
    break;
  }
  case Stmt::DoStmtClass: {
    const auto *loopStatement = cast<DoStmt>(statement);
    goesOn =
        followLoop({loopStatement, loopStatement->getBody(), loopStatement->getCond(), nullptr, false}, path);
    break;
  }
  case Stmt::CXXForRangeStmtClass: {
    const auto *range = cast<CXXForRangeStmt>(statement);
    for (const Stmt *part :
         {static_cast<const Stmt *>(range->getRangeStmt()), static_cast<const Stmt *>(range->getBeginStmt()),
          static_cast<const Stmt *>(range->getEndStmt())})
      follow(part, path);
    goesOn = followLoop({range, range->getBody(), nullptr, range->getInc()}, path);
    break;
  }
  default:
    if (const auto *expression = dyn_cast<Expr>(statement))
      evaluate(expression, path);
    else
      for (const Stmt *child : statement->children())
        follow(child, path);
  }
  path.statement = outer;
  return goesOn;
}

} // namespace heddle::analysis::walk
