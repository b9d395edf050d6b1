// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loop transforms ask about a kernel's loops.
//
// A transform that reorders iterations (interchange, fuse, distribute, unroll-jam) needs a loop that counts,
// and needs to know which iterations depend on which:
//
//     for (int i = a; i < b; i += c)         variable i, start a, bound b, step c, and for the symbolic walk a
//       body                                 counter 0, 1, 2, ... with i = a + c * counter
//
// 1. `counted` reads the header: one integer variable of 32 bits or more that the loop declares, compared
//    with a bound, and changed by the same amount in each iteration and nowhere else. `countedByAll` takes a
//    condition that is a conjunction, if each part, once false, stays false.
// 2. `whyHeadVaries` shows that start, bound and step have the same values whenever the header is evaluated:
//    nothing in the loop writes the variables or the memory that they read.
// 3. `accessesIn` assigns accesses of the walk to statements. An access inside a called function belongs to
//    the call, which is found by its source location; calls that share a location (a macro's) share their
//    accesses.
// 4. `dependence` asks LoopDependences whether two accesses may be of the same element in the iterations
//    given. Arrays that live inside the loop, and pairs of atomics whose order does not matter, are left out.
//
// Every question is answered with a fact or with the first reason against it, at its location in the source.
// The walk does not model unsigned wrap-around, so kernels that divide unsigned sums are flagged for the
// solver. Not handled: `while` loops, loops that come out of a macro, variables whose address is taken. Cost:
// linear in the text for each question; dependences cost one integer system for each pair of accesses.
#include "analysis/loops/LoopStudy.h"

#include "analysis/StatementShape.h"
#include "analysis/Uses.h"
#include "source/LocalWrites.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

namespace {

const Expr *withoutCasts(const Expr *expression) {
  return expression ? expression->IgnoreParenImpCasts() : nullptr;
}

bool names(const Expr *expression, const VarDecl *variable) {
  auto *reference = dyn_cast_or_null<DeclRefExpr>(withoutCasts(expression));
  return reference && reference->getDecl() == variable;
}

/// What the loop's last part adds to the variable; false where it does anything else.
bool readStep(const Expr *increment, CountedLoop &loop) {
  increment = withoutCasts(increment);
  if (auto *unary = dyn_cast_or_null<UnaryOperator>(increment)) {
    loop.countsDown = unary->isDecrementOp();
    return unary->isIncrementDecrementOp() && names(unary->getSubExpr(), loop.variable);
  }
  auto *binary = dyn_cast_or_null<BinaryOperator>(increment);
  if (!binary || !names(binary->getLHS(), loop.variable))
    return false;
  const Expr *right = binary->getRHS();
  if (binary->getOpcode() == BO_AddAssign || binary->getOpcode() == BO_SubAssign) {
    loop.step = right;
    loop.countsDown = binary->getOpcode() == BO_SubAssign;
    return true;
  }
  auto *sum = dyn_cast<BinaryOperator>(withoutCasts(right));
  if (binary->getOpcode() != BO_Assign || !sum || !sum->isAdditiveOp() ||
      !names(sum->getLHS(), loop.variable))
    return false;
  loop.step = sum->getRHS();
  loop.countsDown = sum->getOpcode() == BO_Sub;
  return true;
}

bool readCondition(const Expr *condition, CountedLoop &loop) {
  auto *test = dyn_cast_or_null<BinaryOperator>(withoutCasts(condition));
  if (!test || !test->isComparisonOp() || test->getOpcode() == BO_EQ || test->getOpcode() == BO_Cmp)
    return false;
  bool isLeft = names(test->getLHS(), loop.variable);
  if (!isLeft && !names(test->getRHS(), loop.variable))
    return false;
  loop.bound = isLeft ? test->getRHS() : test->getLHS();
  loop.comparison = isLeft ? test->getOpcode() : BinaryOperator::reverseComparisonOp(test->getOpcode());
  return true;
}

/// Unsigned numbers wrap around, and the symbolic walk does not know it: whether any is taken apart
/// afterwards, here or in a function that is called. threadIdx and similar variables do not wrap.
bool dividesUnsigned(const source::Unit &unit, const Stmt *code, std::set<const FunctionDecl *> &seen) {
  bool found = false;
  source::forEachEvaluated(code, [&](const Stmt *part) {
    if (auto *binary = dyn_cast<BinaryOperator>(part)) {
      static const std::set<BinaryOperatorKind> kinds = {
          BO_Div, BO_Rem, BO_Shr, BO_And, BO_DivAssign, BO_RemAssign, BO_ShrAssign, BO_AndAssign};
      bool isUnsigned = binary->getType()->isUnsignedIntegerType();
      found |= isUnsigned && kinds.contains(binary->getOpcode()) &&
               !threadBuiltin(binary->getLHS()->IgnoreParenImpCasts());
    }
    if (auto *call = dyn_cast<CallExpr>(part)) {
      const FunctionDecl *callee = call->getDirectCallee(), *definition = nullptr;
      if (callee && callee->hasBody(definition) && unit.isUserCode(definition->getLocation()) &&
          seen.insert(definition).second)
        found |= dividesUnsigned(unit, definition->getBody(), seen);
    }
    return !found && !isa<PseudoObjectExpr>(part);
  });
  return found;
}
bool dividesUnsigned(const source::Kernel &kernel) {
  std::set<const FunctionDecl *> seen;
  return dividesUnsigned(*kernel.unit, kernel.function->getBody(), seen);
}

} // namespace

std::vector<const Stmt *> statementsOf(const Stmt *body) {
  std::vector<const Stmt *> list;
  body = plainStatement(body);
  if (auto *block = dyn_cast<CompoundStmt>(body)) {
    for (const Stmt *statement : block->body())
      list.push_back(plainStatement(statement));
  } else {
    list.push_back(body);
  }
  return list;
}

std::unordered_set<const Stmt *> partsOf(const Stmt *code) {
  std::unordered_set<const Stmt *> parts;
  source::forEachEvaluated(code, [&](const Stmt *part) { return parts.insert(part).second; });
  return parts;
}

std::optional<int64_t> CountedLoop::constantStep() const { return facts->step.constant(); }

LoopStudy::LoopStudy(const source::Kernel &kernel, const LaunchFacts &launch)
    : kernel(kernel), unit(*kernel.unit), ownDefinitions(source::ReachingDefinitions::of(kernel.function)),
      ownAccesses(Accesses::of(kernel, launch)), definitions(ownDefinitions.get()),
      accessFacts(ownAccesses.get()), asked(*accessFacts, dividesUnsigned(kernel)) {
  noteCalls();
}

LoopStudy::LoopStudy(const KernelFacts &facts)
    : kernel(*facts.kernel), unit(*kernel.unit), definitions(&facts.uniformity->definitions()),
      accessFacts(facts.accesses.get()), asked(*accessFacts, dividesUnsigned(kernel)) {
  noteCalls();
}

void LoopStudy::noteCalls() {
  for (const CallExpr *call : Uses::of(kernel.function->getBody()).calls) {
    SourceLocation location = unit.location(call);
    callsByLocation[{location.line, location.column}].push_back(call);
  }
}

LegalityFailure LoopStudy::generalFailure() const {
  if (!definitions)
    return legalityFailure(kernel.location, "the kernel's flow of control cannot be followed");
  if (!accessFacts->isComplete())
    return legalityFailure(accessFacts->gaps().front().location, accessFacts->gaps().front().text);
  for (const VarDecl *variable : definitions->variables())
    if (!variable->getType()->isArrayType() && definitions->addressEscapes(variable))
      return legalityFailure(unit.location(variable->getSourceRange()),
                             fmt::format("the address of '{}' is taken, so what changes it cannot be seen",
                                         variable->getNameAsString()));
  return std::nullopt;
}

const Stmt *LoopStudy::parent(const Stmt *statement) const { return definitions->graph().parent(statement); }

bool LoopStudy::isInside(const Decl *declaration, const Stmt *code) const {
  SourceManager &sources = unit.context().getSourceManager();
  clang::SourceLocation at = sources.getExpansionLoc(declaration->getLocation());
  return sources.isPointWithin(at, sources.getExpansionLoc(code->getBeginLoc()),
                               sources.getExpansionLoc(code->getEndLoc()));
}

std::vector<const Loop *> LoopStudy::around(const Loop *loop) {
  std::vector<const Loop *> list;
  for (const Loop *outer = loop->parent; outer; outer = outer->parent)
    list.insert(list.begin(), outer);
  return list;
}

std::variant<CountedLoop, Diagnostic> LoopStudy::counted(const ForStmt *statement) const {
  return counted(statement, statement->getCond());
}

/// `a + i < b`: false from some i on, for a variable that rises.
static bool endsForGood(const Expr *condition, const VarDecl *variable) {
  auto *test = dyn_cast<BinaryOperator>(withoutCasts(condition));
  if (!test || (test->getOpcode() != BO_LT && test->getOpcode() != BO_LE))
    return false;
  const auto mentions = [&](const Expr *part) {
    return llvm::any_of(Uses::of(part).locals,
                        [&](const DeclRefExpr *r) { return r->getDecl() == variable; });
  };
  auto *sum = dyn_cast<BinaryOperator>(withoutCasts(test->getLHS()));
  const bool isSum = sum && sum->getOpcode() == BO_Add &&
                     (names(sum->getLHS(), variable) || names(sum->getRHS(), variable)) &&
                     mentions(sum->getLHS()) != mentions(sum->getRHS());
  return (isSum || names(test->getLHS(), variable)) && !mentions(test->getRHS());
}

std::variant<CountedLoop, Diagnostic> LoopStudy::countedByAll(const ForStmt *statement) const {
  std::vector<const Expr *> open = {statement->getCond()}, all;
  while (!open.empty()) {
    const Expr *condition = withoutCasts(open.back());
    open.pop_back();
    auto *both = dyn_cast_or_null<BinaryOperator>(condition);
    if (both && both->getOpcode() == BO_LAnd) {
      open.push_back(both->getRHS());
      open.push_back(both->getLHS());
    } else if (condition) {
      all.push_back(condition);
    }
  }
  if (all.size() < 2)
    return counted(statement);
  auto result = counted(statement, all.front());
  if (auto *loop = std::get_if<CountedLoop>(&result))
    for (const Expr *condition : all)
      if (loop->countsDown || !endsForGood(condition, loop->variable))
        return legalityFailure(unit.location(condition),
                               fmt::format("once this condition is false it may become true again, so the "
                                           "trip count of the loop over '{}' is not known",
                                           loop->name()));
  return result;
}

std::variant<CountedLoop, Diagnostic> LoopStudy::counted(const ForStmt *statement,
                                                         const Expr *condition) const {
  auto refuse = [&](const Stmt *at, std::string reason) {
    return legalityFailure(unit.location(at), std::move(reason));
  };
  if (statement->getForLoc().isMacroID() || statement->getRParenLoc().isMacroID())
    return refuse(statement, "the loop is expanded from a macro");
  CountedLoop loop;
  loop.statement = statement;
  auto *declaration = dyn_cast_or_null<DeclStmt>(statement->getInit());
  loop.variable =
      declaration && declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
  if (!loop.variable || !loop.variable->getInit())
    return refuse(statement, "the loop does not declare the variable that it counts with");
  QualType type = loop.variable->getType();
  if (!type->isIntegerType() || type->isEnumeralType() || type.isVolatileQualified() ||
      unit.context().getIntWidth(type) < 32)
    return refuse(statement, fmt::format("'{}' is not an integer of at least 32 bits", loop.name()));
  loop.start = loop.variable->getInit();
  if (!readCondition(condition, loop))
    return refuse(statement,
                  fmt::format("the loop's condition does not compare '{}' with a bound", loop.name()));
  if (!readStep(statement->getInc(), loop))
    return refuse(statement,
                  fmt::format("the loop does not add the same to '{}' in each iteration", loop.name()));
  for (const auto &facts : accessFacts->loops())
    if (facts->statement == statement)
      loop.facts = facts.get();
  if (!loop.facts)
    return refuse(statement, "the loop is never reached");
  for (const OuterVariable &outer : outerVariables(statement->getBody()))
    if (outer.variable == loop.variable && outer.write)
      return refuse(outer.write, fmt::format("the loop's body changes '{}'", loop.name()));
  if (std::optional<int64_t> step = loop.facts->step.constant(); step && *step < 0)
    loop.countsDown = true;
  if (LegalityFailure varies = whyHeadVaries(loop, statement, {loop.variable}))
    return *varies;
  return loop;
}

/// An access of a called function belongs to the call; of several calls that are at one place (in a macro)
/// it may be any.
bool LoopStudy::isOf(const Access &access, const std::unordered_set<const Stmt *> &code) const {
  if (access.calls.empty())
    return code.contains(access.statement);
  auto at = callsByLocation.find({access.calls.front().line, access.calls.front().column});
  return at != callsByLocation.end() &&
         std::any_of(at->second.begin(), at->second.end(),
                     [&](const CallExpr *call) { return code.contains(call); });
}

std::vector<const Access *> LoopStudy::accessesIn(const std::vector<const Stmt *> &code) const {
  std::vector<const Access *> list;
  std::unordered_set<const Stmt *> parts;
  for (const Stmt *one : code)
    parts.merge(partsOf(one));
  for (const Access &access : accessFacts->all())
    if (isOf(access, parts))
      list.push_back(&access);
  return list;
}

std::vector<const Access *> LoopStudy::accessesIn(const Stmt *code) const {
  return accessesIn(std::vector<const Stmt *>{code});
}

std::vector<const Access *> LoopStudy::accessesInHead(const ForStmt *loop) const {
  std::vector<const Access *> inBody = accessesIn(loop->getBody()), inHead;
  for (const Access *access : accessesIn(loop))
    if (std::find(inBody.begin(), inBody.end(), access) == inBody.end())
      inHead.push_back(access);
  return inHead;
}

std::vector<OuterVariable> LoopStudy::outerVariables(const Stmt *code) const {
  std::vector<OuterVariable> list;
  auto parentOf = [&](const Stmt *s) { return parent(s); };
  for (const DeclRefExpr *reference : Uses::of(code).locals) {
    auto *variable = cast<VarDecl>(reference->getDecl());
    if (!source::isThreadLocal(variable) || variable->getType()->isArrayType() || isInside(variable, code))
      continue;
    auto at = std::find_if(list.begin(), list.end(),
                           [&](const OuterVariable &known) { return known.variable == variable; });
    if (at == list.end())
      at = list.insert(list.end(), {variable, {}, nullptr});
    at->mentions.push_back(reference);
    if (!at->write && source::mentionOf(reference, parentOf) != source::Mention::Read)
      at->write = reference;
  }
  return list;
}

bool LoopStudy::isOrderless(const Access &access) const {
  if (access.kind != Access::Kind::Atomic || !access.calls.empty())
    return false;
  for (const Stmt *at = access.expression; at; at = parent(at))
    if (auto *call = dyn_cast<CallExpr>(at))
      return isOrderlessAtomic(call, parent(call));
  return false;
}

std::optional<LoopDependence> LoopStudy::dependence(const std::vector<const Access *> &first,
                                                    const std::vector<const Access *> &second,
                                                    const Iterations &iterations, const Stmt *within) const {
  auto isPrivate = [&](const Access &access) {
    const auto *variable = dyn_cast_or_null<VarDecl>(access.array->decl);
    return access.array->space == Array::Space::Local && variable &&
           (variable->getDeclContext() != kernel.function || isInside(variable, within));
  };
  for (const Access *p : first)
    for (const Access *q : second) {
      bool isOfInterest = (p->isWrite() || q->isWrite()) && !isPrivate(*p) && !isPrivate(*q);
      if (!isOfInterest || (isOrderless(*p) && isOrderless(*q)))
        continue;
      if (auto found = asked.between(*p, *q, iterations))
        return found;
    }
  return std::nullopt;
}

LegalityFailure LoopStudy::whyHeadVaries(const CountedLoop &loop, const Stmt *within,
                                         const std::set<const VarDecl *> &common) const {
  std::string what = fmt::format("the loop over '{}'", loop.name());
  std::vector<OuterVariable> changed = outerVariables(within);
  for (const Expr *part : {loop.start, loop.bound, loop.step}) {
    if (!part)
      continue;
    if (LegalityFailure effect = reasonAgainstReordering(unit, part))
      return effect;
    for (const DeclRefExpr *reference : Uses::of(part).locals) {
      auto *variable = cast<VarDecl>(reference->getDecl());
      bool isChanged = std::any_of(changed.begin(), changed.end(), [&](const OuterVariable &outer) {
        return outer.variable == variable && outer.write;
      });
      if (common.contains(variable) || (!isInside(variable, within) && !isChanged))
        continue;
      return legalityFailure(unit.location(reference),
                             fmt::format("{} does not always have the same iteration space: its "
                                         "head depends on '{}'",
                                         what, variable->getNameAsString()));
    }
    for (const Stmt *inside : partsOf(part)) {
      auto *assignment = dyn_cast<BinaryOperator>(inside);
      auto *unary = dyn_cast<UnaryOperator>(inside);
      if ((assignment && assignment->isAssignmentOp()) || (unary && unary->isIncrementDecrementOp()))
        return legalityFailure(unit.location(inside), fmt::format("the head of {} has a side effect", what));
    }
  }
  Iterations anywhere{around(loop.facts), {}};
  for (const auto &facts : accessFacts->loops()) // those around `within` only: inside it anything may differ
    if (facts->statement == within)
      anywhere.same = around(facts.get());
  if (auto found = dependence(accessesIn(within), accessesInHead(loop.statement), anywhere, within))
    return refusalOf(*found, fmt::format("so {} may not always have the same iteration space", what));
  return std::nullopt;
}

Diagnostic refusalOf(const LoopDependence &dependence, const std::string &consequence) {
  const Access &first = *dependence.first, &second = *dependence.second;
  const bool isOne = dependence.first == dependence.second, namesIteration = consequence.starts_with("in ");
  const std::string other =
      isOne ? fmt::format("the same {}", nameOf(first.kind))
            : fmt::format("the {} of '{}' at line {}", nameOf(first.kind), first.text, first.location.line);
  const std::string why = dependence.isCertain ? "" : fmt::format(" ({})", dependence.reason);
  Diagnostic refusal = legalityFailure(
      second.location, fmt::format("this {} of '{}' {} {}{}{}{} {}", nameOf(second.kind), second.text,
                                   dependence.isCertain ? "depends on" : "may depend on", other,
                                   isOne && !namesIteration ? " in another iteration" : "", why,
                                   namesIteration ? "" : ",", consequence));
  if (!isOne)
    refusal.note(first.location, fmt::format("the {} is here", nameOf(first.kind)));
  refusal.hint = dependence.hint;
  return refusal;
}

} // namespace heddle::analysis
