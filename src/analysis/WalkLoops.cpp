// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in the symbolic walk. A loop's body is followed once, for an iteration in the middle: each variable
// that the loop changes gets, at the head of the body, a value that holds in every iteration:
//
//   i = start + step * #          where the loop adds the same amount once in each iteration (# counts
//   iterations) a symbol of its own           where all threads change it alike (s >>= 1; buffer ^= 1):
//   unknown, but the same
//                                 for all threads that are in the same iteration
//   not affine                    else
#include "analysis/SymbolicWalk.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

using namespace clang;

namespace heddle::analysis {
namespace {

const Expr *plain(const Expr *expression) { return expression ? expression->IgnoreParenImpCasts() : nullptr; }

/// The local variable (and member path) that an lvalue names; a null variable where it is anything else.
Environment::Key keyOf(const Expr *expression, const Environment &environment) {
  expression = plain(expression);
  std::string path;
  while (const auto *member = dyn_cast_or_null<MemberExpr>(expression)) {
    if (member->isArrow())
      return {nullptr, ""};
    path = "." + member->getMemberDecl()->getNameAsString() + path;
    expression = plain(member->getBase());
  }
  const auto *reference = dyn_cast_or_null<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || variable->hasGlobalStorage())
    return {nullptr, ""};
  if (auto at = environment.references.find(variable); at != environment.references.end()) {
    if (at->second.kind != LValue::Kind::Variable)
      return {nullptr, ""};
    return {at->second.variable, at->second.path + path};
  }
  return {variable, path};
}

/// Collects what a loop changes. Lambdas inside it are looked into: calling one runs its body.
class ModificationFinder : public DynamicRecursiveASTVisitor {
public:
  ModificationFinder(Modifications &found, const Environment &environment, bool &hasContinue, bool &hasExit)
      : found(found), environment(environment), hasContinue(hasContinue), hasExit(hasExit) {}

  void topLevel(const Stmt *statement) {
    depth = 0;
    if (const auto *list = dyn_cast_or_null<CompoundStmt>(statement)) {
      for (const Stmt *child : list->body())
        oneTopLevel(child);
    } else {
      oneTopLevel(statement);
    }
  }
  void nested(const Stmt *statement) {
    depth = 1;
    TraverseStmt(const_cast<Stmt *>(statement));
  }

  bool TraverseIfStmt(IfStmt *s) override {
    return under(s->getCond(), [&] { return Base::TraverseIfStmt(s); });
  }
  bool TraverseSwitchStmt(SwitchStmt *s) override {
    ++breakable;
    bool on = under(s->getCond(), [&] { return Base::TraverseSwitchStmt(s); });
    --breakable;
    return on;
  }
  bool TraverseForStmt(ForStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseForStmt(s); });
  }
  bool TraverseWhileStmt(WhileStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseWhileStmt(s); });
  }
  bool TraverseDoStmt(DoStmt *s) override {
    return inner(s->getCond(), [&] { return Base::TraverseDoStmt(s); });
  }
  bool TraverseConditionalOperator(ConditionalOperator *s) override {
    return under(s->getCond(), [&] { return Base::TraverseConditionalOperator(s); });
  }
  bool TraverseLambdaExpr(LambdaExpr *s) override {
    return under(nullptr, [&] { return TraverseStmt(s->getBody()); });
  }
  bool VisitContinueStmt(ContinueStmt *) override { return hasContinue |= innerLoops == 0, true; }
  bool VisitBreakStmt(BreakStmt *) override { return hasExit |= innerLoops == 0 && breakable == 0, true; }
  bool VisitReturnStmt(ReturnStmt *) override { return hasExit = true; }
  bool VisitGotoStmt(GotoStmt *) override { return hasExit = hasContinue = true; }

  bool VisitBinaryOperator(BinaryOperator *s) override {
    if (s->isAssignmentOp())
      changes(s->getLHS(), s);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *s) override {
    if (s->isIncrementDecrementOp())
      changes(s->getSubExpr(), s);
    else if (s->getOpcode() == UO_AddrOf)
      changes(s->getSubExpr(), nullptr);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    if (const auto *method = dyn_cast<CXXMemberCallExpr>(call)) {
      if (const CXXMethodDecl *callee = method->getMethodDecl();
          callee && !callee->isConst() && !callee->isStatic())
        changes(method->getImplicitObjectArgument(), nullptr);
    }
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *asOperator = dyn_cast<CXXOperatorCallExpr>(call);
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      bool isObject = asOperator && isa_and_nonnull<CXXMethodDecl>(callee);
      if (isObject && i == 0) {
        if (!cast<CXXMethodDecl>(callee)->isConst())
          changes(call->getArg(0), asOperator->isAssignmentOp() ? static_cast<Expr *>(call) : nullptr);
        continue;
      }
      unsigned index = i - (isObject ? 1 : 0);
      QualType type =
          callee && index < callee->getNumParams() ? callee->getParamDecl(index)->getType() : QualType();
      if (!type.isNull() && type->isReferenceType() && !type->getPointeeType().isConstQualified())
        changes(call->getArg(i), nullptr);
    }
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *s) override {
    for (unsigned i = 0; i < s->getNumOutputs(); ++i)
      changes(s->getOutputExpr(i), nullptr);
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    // A reference to an outer variable may change it later on.
    QualType type = variable->getType();
    if (type->isReferenceType() && !type->getPointeeType().isConstQualified() && variable->getInit())
      changes(variable->getInit(), nullptr);
    return true;
  }

private:
  using Base = DynamicRecursiveASTVisitor;

  void oneTopLevel(const Stmt *statement) {
    if (const auto *cleanups = dyn_cast_or_null<ExprWithCleanups>(statement))
      statement = cleanups->getSubExpr();
    if (const auto *comma = dyn_cast_or_null<BinaryOperator>(statement); comma && comma->isCommaOp()) {
      oneTopLevel(comma->getLHS());
      oneTopLevel(comma->getRHS());
      return;
    }
    top = statement;
    TraverseStmt(const_cast<Stmt *>(statement));
    top = nullptr;
  }
  template <typename Visit> bool under(const Expr *condition, Visit visit) {
    conditions.push_back(condition);
    ++depth;
    bool on = visit();
    --depth;
    conditions.pop_back();
    return on;
  }
  template <typename Visit> bool inner(const Expr *condition, Visit visit) {
    ++innerLoops;
    bool on = under(condition, visit);
    --innerLoops;
    return on;
  }
  void changes(const Expr *target, const Expr *how) {
    Environment::Key key = keyOf(target, environment);
    if (!key.first)
      return;
    bool isTop = depth == 0 && how && how == top;
    found[key].push_back({how, how, conditions, isTop});
  }

  Modifications &found;
  const Environment &environment;
  bool &hasContinue, &hasExit;
  const Stmt *top = nullptr;
  unsigned depth = 0, innerLoops = 0, breakable = 0;
  std::vector<const Expr *> conditions;
};

/// `x += c`, `x = x + c`, `++x`: the amount, and whether it is taken away. A null amount with `isOne`
/// means 1.
struct Stride {
  const Expr *amount = nullptr;
  bool isOne = false, isNegative = false;
};

std::optional<Stride> strideOf(const Expr *change, const Environment::Key &key,
                               const Environment &environment) {
  if (const auto *unary = dyn_cast<UnaryOperator>(change))
    return Stride{nullptr, true, unary->isDecrementOp()};
  const auto *binary = dyn_cast<BinaryOperator>(change);
  if (!binary)
    return std::nullopt;
  if (binary->getOpcode() == BO_AddAssign || binary->getOpcode() == BO_SubAssign)
    return Stride{binary->getRHS(), false, binary->getOpcode() == BO_SubAssign};
  const auto *sum = dyn_cast_or_null<BinaryOperator>(plain(binary->getRHS()));
  if (binary->getOpcode() != BO_Assign || !sum || !(sum->getOpcode() == BO_Add || sum->getOpcode() == BO_Sub))
    return std::nullopt;
  if (keyOf(sum->getLHS(), environment) == key)
    return Stride{sum->getRHS(), false, sum->getOpcode() == BO_Sub};
  if (sum->getOpcode() == BO_Add && keyOf(sum->getRHS(), environment) == key)
    return Stride{sum->getLHS(), false, false};
  return std::nullopt;
}

/// Only ever made smaller (-1) or larger (+1) by the loop; 0 where neither is known. For values not negative.
int growth(const std::vector<Modification> &changes) {
  int all = 2;
  for (const Modification &change : changes) {
    const auto *binary = dyn_cast_or_null<BinaryOperator>(change.expression);
    int one = 0;
    if (binary && (binary->getOpcode() == BO_ShrAssign || binary->getOpcode() == BO_DivAssign))
      one = -1;
    if (binary && (binary->getOpcode() == BO_ShlAssign || binary->getOpcode() == BO_MulAssign))
      one = 1;
    if (binary && binary->getOpcode() == BO_Assign)
      if (const auto *right = dyn_cast_or_null<BinaryOperator>(plain(binary->getRHS()))) {
        if (right->getOpcode() == BO_Shr || right->getOpcode() == BO_Div)
          one = -1;
        if (right->getOpcode() == BO_Shl || right->getOpcode() == BO_Mul)
          one = 1;
        if (keyOf(right->getLHS(), {}) != keyOf(binary->getLHS(), {}))
          one = 0;
      }
    if (one == 0 || (all != 2 && all != one))
      return 0;
    all = one;
  }
  return all == 2 ? 0 : all;
}

std::optional<int64_t> countTrips(const Loop &loop) {
  auto start = loop.start.constant(), step = loop.step.constant();
  auto bound = loop.bound ? loop.bound->constant() : std::nullopt;
  // The start need not be a constant itself: i = a; i < a + 8.
  if (!start && loop.bound && *loop.bound && loop.start) {
    if (auto distance = (**loop.bound - *loop.start).constant())
      start = 0, bound = distance;
  }
  if (!start || !step || !bound || *step == 0)
    return std::nullopt;
  int64_t distance = *bound - *start, stride = *step;
  if (stride < 0)
    distance = -distance, stride = -stride;
  const bool up = *step > 0;
  const std::string &op = loop.comparison;
  if (op == "!=")
    return distance >= 0 && distance % stride == 0 ? std::optional(distance / stride) : std::nullopt;
  if ((up && op == "<=") || (!up && op == ">="))
    distance += 1;
  else if ((up && op != "<") || (!up && op != ">"))
    return std::nullopt;
  return distance <= 0 ? 0 : (distance + stride - 1) / stride;
}

std::string opposite(const std::string &op) {
  return op == "<" ? ">" : op == "<=" ? ">=" : op == ">" ? "<" : op == ">=" ? "<=" : op;
}

} // namespace

Modifications SymbolicWalk::modificationsIn(const LoopParts &parts) {
  Modifications found;
  bool hasContinue = false, hasExit = false;
  ModificationFinder finder(found, now, hasContinue, hasExit);
  finder.topLevel(parts.body);
  if (hasContinue) // what stands in the body may be jumped over
    for (auto &entry : found)
      for (Modification &change : entry.second)
        change.isTopLevel = false;
  Modifications atEnd;
  ModificationFinder last(atEnd, now, hasContinue, hasExit);
  last.topLevel(parts.increment);
  last.nested(parts.condition);
  for (auto &[key, changes] : atEnd)
    found[key].insert(found[key].end(), changes.begin(), changes.end());
  loop->hasEarlyExit = hasExit;
  if (hasContinue)
    for (auto &entry : found)
      for (Modification &change : entry.second)
        if (!change.isTopLevel)
          change.conditions.push_back(nullptr); // not known whether it happens
  // Variables that live only inside an iteration are set anew in each.
  std::erase_if(found, [&](const auto &entry) {
    SourceLocation at = entry.first.first->getLocation();
    return context.getSourceManager().isPointWithin(at, parts.body->getBeginLoc(), parts.body->getEndLoc()) &&
           !now.has(entry.first) && !isa<ParmVarDecl>(entry.first.first);
  });
  return found;
}

bool SymbolicWalk::staysUniform(const Expr *expression, const Modifications &modified,
                                const std::set<Environment::Key> &candidates) {
  expression = plain(expression);
  if (!expression)
    return false;
  if (Environment::Key key = keyOf(expression, now); key.first) {
    if (candidates.count(key))
      return true;
    if (modified.count(key))
      return false;
    if (const Value *value = now.find(key))
      return (value->integer && !value->integer->dependsOnThread()) ||
             (value->truth && value->truth->isUniform());
    return isa<ParmVarDecl>(key.first) && frames.size() == 1;
  }
  if (expression->getType()->isFloatingType())
    return isa<FloatingLiteral>(expression);
  if (std::optional<Polynomial> index = builtinIndex(expression))
    return !index->dependsOnThread();
  if (isa<IntegerLiteral, CXXBoolLiteralExpr, CharacterLiteral, UnaryExprOrTypeTraitExpr,
          SubstNonTypeTemplateParmExpr>(expression))
    return true;
  if (isa<DeclRefExpr>(expression))
    return isa<EnumConstantDecl>(cast<DeclRefExpr>(expression)->getDecl()) ||
           expression->isEvaluatable(context);
  if (isa<BinaryOperator, UnaryOperator, ConditionalOperator, CStyleCastExpr, CXXStaticCastExpr,
          CXXFunctionalCastExpr>(expression)) {
    if (const auto *unary = dyn_cast<UnaryOperator>(expression);
        unary && (unary->getOpcode() == UO_Deref || unary->getOpcode() == UO_AddrOf))
      return false;
    for (const Stmt *child : expression->children())
      if (!staysUniform(dyn_cast_or_null<Expr>(child), modified, candidates))
        return false;
    return true;
  }
  return false;
}

/// Variables that start out uniform and that every change leaves uniform: assume it of all, drop those for
/// which it does not follow, until nothing changes.
std::set<Environment::Key> SymbolicWalk::uniformCandidates(const Modifications &modified, bool) {
  std::set<Environment::Key> candidates;
  for (const auto &[key, changes] : modified) {
    const Value *value = now.find(key);
    bool isSet = value && value->integer && !value->integer->dependsOnThread();
    if (isSet || (!value && isa<ParmVarDecl>(key.first) && frames.size() == 1))
      candidates.insert(key);
  }
  auto keeps = [&](const Modification &change) {
    if (!change.expression)
      return false;
    for (const Expr *condition : change.conditions)
      if (!condition || !staysUniform(condition, modified, candidates))
        return false;
    const auto *binary = dyn_cast<BinaryOperator>(change.expression);
    return isa<UnaryOperator>(change.expression) ||
           (binary && staysUniform(binary->getRHS(), modified, candidates));
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[key, changes] : modified)
      if (candidates.count(key) && !llvm::all_of(changes, keeps)) {
        candidates.erase(key);
        changed = true;
      }
  }
  return candidates;
}

bool SymbolicWalk::makeInduction(Loop &theLoop, const Environment::Key &key,
                                 const std::vector<Modification> &changes, const LoopParts &) {
  if (changes.size() != 1 || !changes[0].isTopLevel || !changes[0].expression)
    return false;
  std::optional<Stride> stride = strideOf(changes[0].expression, key, now);
  if (!stride)
    return false;
  bool wasSilent = std::exchange(silent, true);
  Affine step = stride->isOne ? Affine(1) : evaluate(stride->amount).integer;
  silent = wasSilent;
  if (stride->isNegative)
    step = subtract(Affine(0), step, theLoop.place);
  if (!step || step->mentions(theLoop.counter))
    return false;

  QualType type = key.first->getType();
  Value start = now.has(key) ? *now.find(key) : initialValue(key.first, key.second, type);
  Affine moved = multiply(step, Affine(Polynomial(theLoop.counter)), theLoop.place);
  Value value = start;
  value.truth = nullptr;
  if (start.pointer && !start.pointer->scalar) {
    value = this->moved(*start.pointer, moved, theLoop.place);
  } else {
    value.integer = add(start.integer, moved, theLoop.place);
    if (!start.integer) { // it counts, but from where is not known: that is the reason to give
      now.set(key, value);
      return true;
    }
    if (!value.integer)
      return false;
    bool countsCondition = theLoop.variable.empty();
    if (countsCondition) {
      theLoop.variable = key.first->getNameAsString() + key.second;
      theLoop.start = start.integer;
      theLoop.step = step;
    }
  }
  now.set(key, value);
  return true;
}

bool SymbolicWalk::makeUniform(Loop &theLoop, const Environment::Key &key,
                               const std::vector<Modification> &changes) {
  Value start = now.has(key) ? *now.find(key) : initialValue(key.first, key.second, key.first->getType());
  if (!start.integer)
    return false;
  int grows = growth(changes);
  bool nonNegative = start.integer->isNonNegative() && grows != 0;
  std::string name = key.first->getNameAsString() + key.second;
  const Symbol *symbol = symbols.uniform(name, nonNegative, enclosingLoops());
  now.set(key, Value{Polynomial(symbol), std::nullopt, nullptr});
  if (nonNegative) {
    Condition known = Condition::compare(Polynomial(symbol), grows < 0 ? "<=" : ">=", *start.integer);
    if (!known.isAlways(true))
      guards = std::make_shared<Guard>(
          Guard{known, theLoop.place,
                fmt::format("'{}' only {} in this loop", name, grows < 0 ? "shrinks" : "grows"), guards});
  }
  return true;
}

void SymbolicWalk::enterLoop(Loop &theLoop, const LoopParts &parts, const Modifications &modified) {
  std::set<Environment::Key> uniform = uniformCandidates(modified, false);
  // Forget all first: a stride must not be computed from a variable that the loop changes.
  std::map<Environment::Key, Value> before;
  auto forgetAll = [&] {
    for (const auto &entry : modified)
      now.set(entry.first,
              Value::unknown(fmt::format("'{}' changes in the loop",
                                         entry.first.first->getNameAsString() + entry.first.second),
                             theLoop.place));
  };
  std::map<Environment::Key, Value> start;
  for (const auto &entry : modified)
    if (const Value *value = now.find(entry.first))
      start.emplace(entry.first, *value);
  forgetAll();
  std::map<Environment::Key, Value> atHead;
  // The variable in the loop's condition is the one the loop is said to count.
  std::vector<Environment::Key> keys;
  if (const auto *test = dyn_cast_or_null<BinaryOperator>(plain(parts.condition)))
    for (const Expr *side : {test->getLHS(), test->getRHS()})
      if (Environment::Key key = keyOf(side, now); key.first && modified.count(key))
        keys.push_back(key);
  for (const auto &entry : modified)
    keys.push_back(entry.first);
  for (const Environment::Key &key : keys) {
    if (atHead.count(key))
      continue;
    auto at = start.find(key);
    Value forgotten = *now.find(key);
    if (at != start.end())
      now.set(key, at->second);
    else
      now.set(key, std::nullopt);
    const std::vector<Modification> &changes = modified.at(key);
    if (makeInduction(theLoop, key, changes, parts) ||
        (uniform.count(key) && makeUniform(theLoop, key, changes)))
      atHead[key] = *now.find(key);
    else if (at != start.end() && at->second.pointer) {
      Value &value = atHead[key];
      value = forgotten;
      value.pointer = at->second.pointer;
      value.pointer->array =
          unknownArray(fmt::format("'{}' changes in the loop", key.first->getNameAsString()),
                       at->second.pointer->array ? at->second.pointer->array->space : Array::Space::Unknown);
      value.pointer->offset = value.pointer->inner = forgotten.integer;
      value.pointer->outer.clear();
      value.pointer->scalar = nullptr;
    }
    now.set(key, forgotten);
  }
  for (auto &[key, value] : atHead)
    now.set(key, value);
}

void SymbolicWalk::describeBound(Loop &theLoop, const Expr *condition) {
  const auto *test = dyn_cast_or_null<BinaryOperator>(plain(condition));
  while (test && test->getOpcode() == BO_LAnd)
    test = dyn_cast_or_null<BinaryOperator>(plain(test->getLHS()));
  if (!test || !test->isComparisonOp() || theLoop.variable.empty())
    return;
  auto isCounter = [&](const Expr *side) {
    Environment::Key key = keyOf(side, now);
    return key.first && key.first->getNameAsString() + key.second == theLoop.variable;
  };
  bool isLeft = isCounter(test->getLHS());
  if (!isLeft && !isCounter(test->getRHS()))
    return;
  bool wasSilent = std::exchange(silent, true);
  theLoop.bound = evaluate(isLeft ? test->getRHS() : test->getLHS()).integer;
  silent = wasSilent;
  std::string op = BinaryOperator::getOpcodeStr(test->getOpcode()).str();
  theLoop.comparison = isLeft ? op : opposite(op);
  const auto *whole = dyn_cast<BinaryOperator>(plain(condition));
  if (test == whole && !theLoop.hasEarlyExit)
    theLoop.trips = countTrips(theLoop);
}

void SymbolicWalk::leaveLoop(const Loop &theLoop, const LoopParts &parts, const Modifications &modified,
                             const std::map<Environment::Key, Value> &atHead, const Condition &goesOn) {
  const bool leavesTogether = !theLoop.hasEarlyExit && goesOn.isUniform();
  for (const auto &entry : modified) {
    const Environment::Key &key = entry.first;
    std::string name = key.first->getNameAsString() + key.second;
    Value after = Value::unknown(fmt::format("'{}' is what the loop left", name), theLoop.place);
    auto head = atHead.find(key);
    if (head != atHead.end() && head->second.integer) {
      const Polynomial &form = *head->second.integer;
      bool isOfIteration = !form.mentionsAny([&](const Symbol &s) {
        return s.kind == SymbolKind::Uniform && !s.variesIn.empty() && s.variesIn.back() == &theLoop;
      });
      if (theLoop.trips && parts.testsFirst && isOfIteration)
        after.integer = form.substituted(theLoop.counter, Polynomial(*theLoop.trips), &symbols);
      else if (leavesTogether && !form.dependsOnThread())
        after.integer = Polynomial(
            symbols.uniform(fmt::format("{}@{}", name, theLoop.place.line), false, enclosingLoops()));
    }
    if (head != atHead.end() && head->second.pointer) {
      after.pointer = head->second.pointer;
      after.pointer->offset = after.pointer->inner = after.integer;
      after.pointer->outer.clear();
    }
    now.set(key, after);
  }
}

bool SymbolicWalk::walkLoop(const LoopParts &parts) {
  auto owned = std::make_unique<Loop>();
  Loop &theLoop = *owned;
  theLoop.statement = parts.statement;
  theLoop.parent = loop;
  theLoop.place = placeOf(parts.statement);
  if (!silent)
    result.loopList.push_back(std::move(owned));
  Loop *outerLoop = std::exchange(loop, &theLoop);
  Event *outerSequence = sequence;
  Guards outerGuards = guards;

  Modifications modified = modificationsIn(parts);
  theLoop.counter = symbols.iteration(&theLoop, "#");
  enterLoop(theLoop, parts, modified);
  // A loop from 0 in steps of 1 counts its own iterations, so its variable's name says it best.
  auto *counter = const_cast<Symbol *>(theLoop.counter);
  bool countsItself = theLoop.start.constant() == 0 && theLoop.step.constant() == 1;
  counter->name = theLoop.variable.empty() ? fmt::format("#{}", theLoop.place.line)
                                           : (countsItself ? "" : "#") + theLoop.variable;
  std::map<Environment::Key, Value> atHead;
  for (const auto &entry : modified)
    atHead[entry.first] = *now.find(entry.first);
  describeBound(theLoop, parts.condition);
  if (theLoop.trips && *theLoop.trips > 0)
    counter->most = *theLoop.trips - 1;

  Event *loopEvent = append(Event::Kind::Loop);
  loopEvent->loop = &theLoop;
  loopEvent->mayBeSkipped = parts.testsFirst && !(theLoop.trips && *theLoop.trips > 0);
  sequence = loopEvent;
  sequence = append(Event::Kind::Sequence);

  Condition goesOn = Condition::always(true);
  if (parts.testsFirst && parts.condition) {
    goesOn = evaluateCondition(parts.condition);
    guard(goesOn, parts.condition, false);
  }
  bool neverRuns = goesOn.isAlways(false) || theLoop.trips == 0;
  if (!neverRuns) {
    walk(parts.body);
    if (parts.increment)
      evaluate(parts.increment);
    if (!parts.testsFirst)
      goesOn = evaluateCondition(parts.condition);
  }

  sequence = outerSequence;
  guards = outerGuards;
  loop = outerLoop;
  leaveLoop(theLoop, parts, modified, atHead, goesOn);
  // `while (true)` without a break is left only by returning.
  return !(goesOn.isAlways(true) && parts.condition && !theLoop.hasEarlyExit && parts.testsFirst);
}

} // namespace heddle::analysis
