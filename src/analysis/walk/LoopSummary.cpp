// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of variables at the head of a loop and after it.
//
// The body is followed once, for an iteration in the middle, so each variable that the loop changes needs a
// value that holds in every iteration. With # as the number of the iteration:
//
//     for (int i = t; i < n; i += 128)       i = t + 128 * #          added to once in each iteration: induction
//       for (int s = 64; s; s >>= 1)         s = a symbol, s <= 64    changed alike by all threads: uniform
//         p = next[p];                       p = no value             everything else
//
// 1. Induction: one change, executed exactly once in each iteration that reaches the end, that adds an amount
//    which does not itself change. Pointers move the same way.
// 2. Uniform variables: assumed of all that enter the loop uniform, then dropped where a change reads
//    something that is not, or is conditional on it, until nothing more is dropped. What remains is right by
//    induction over the iterations: if all were uniform before an iteration, they are after it. Each becomes
//    a symbol that is the same for all threads of the block; one that only shrinks or grows is also bounded
//    by its start.
// 3. A pointer that changes in another way points into unknown memory of the same address space.
// 4. `describeBound` and `tripCount` give the number of iterations where start, bound and step are constants,
//    or bound - start is.
// 5. After the loop, an induction variable has its value for # = trip count; a uniform one is a new symbol
//    if all threads leave the loop together; others have no value.
//
// Not handled: second-order inductions (`a += b; b += c`), loops with several exits (no trip count). Cost:
// the fixed point of 2 is quadratic in the changed variables at worst.
#include "analysis/walk/LoopSummary.h"

#include "analysis/walk/Pointers.h"

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

const Expr *plain(const Expr *expression) { return expression ? expression->IgnoreParenImpCasts() : nullptr; }

std::string summaryName(const Environment::Key &key) { return key.first->getNameAsString() + key.second; }

/// Whether changes of variables leave them the same for all threads, given which others are.
struct Uniformly {
  const Modifications &modified;
  const Environment &before;
  const std::set<Environment::Key> &candidates;
  bool inKernel;
  const ASTContext &context;
  ThreadIndices &indices;

  bool staysUniform(const Expr *expression) const {
    expression = plain(expression);
    if (!expression)
      return false;
    if (Environment::Key key = keyOf(expression, before); key.first) {
      if (candidates.count(key))
        return true;
      if (modified.count(key))
        return false;
      if (const Value *value = before.find(key))
        return (value->integer && !value->integer->dependsOnThread()) ||
               (value->truth && value->truth->isUniform());
      return isa<ParmVarDecl>(key.first) && inKernel;
    }
    if (expression->getType()->isFloatingType())
      return isa<FloatingLiteral>(expression);
    if (std::optional<Polynomial> index = indices.valueOf(expression))
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
        if (!staysUniform(dyn_cast_or_null<Expr>(child)))
          return false;
      return true;
    }
    return false;
  }

  bool keeps(const Modification &change) const {
    if (!change.expression)
      return false;
    for (const Expr *condition : change.conditions)
      if (!condition || !staysUniform(condition))
        return false;
    const auto *binary = dyn_cast<BinaryOperator>(change.expression);
    return isa<UnaryOperator>(change.expression) || (binary && staysUniform(binary->getRHS()));
  }
};

/// A variable to which the loop adds the same amount once in each iteration: start + step * iterations.
/// Nothing where it is no such variable.
std::optional<Value> inductionValue(Loop &loop, const Environment::Key &key,
                                    const std::vector<Modification> &changes, const Value *before,
                                    const Environment &now, const LoopQuestions &ask,
                                    const ValueScope &scope) {
  if (changes.size() != 1 || !changes[0].isTopLevel || !changes[0].expression)
    return std::nullopt;
  std::optional<Stride> stride = strideOf(changes[0].expression, key, now);
  if (!stride)
    return std::nullopt;
  // The variable itself is unknown here as well: the stride of `s += s` is another one in each iteration.
  Affine step = stride->isOne ? Affine(1) : ask.evaluate(stride->amount).integer;
  if (stride->isNegative)
    step = subtract(Affine(0), step, loop.location);
  if (!step || step->mentions(loop.counter))
    return std::nullopt;

  Value start = before ? *before : ask.initial(key);
  Affine distance = multiply(step, Affine(Polynomial(loop.counter)), loop.location);
  if (start.pointer && !start.pointer->scalar)
    return moved(*start.pointer, distance, loop.location, scope.context());
  Value value = start;
  value.truth = nullptr;
  value.integer = add(start.integer, distance, loop.location);
  if (!start.integer) // it counts, but from where is not known: that is the reason to give
    return value;
  if (!value.integer)
    return std::nullopt;
  if (loop.variable.empty()) {
    loop.variable = summaryName(key);
    loop.start = start.integer;
    loop.step = step;
  }
  return value;
}

/// A symbol for a variable that all threads change alike, and what is known of it.
std::optional<Value> uniformValue(const Loop &loop, const Environment::Key &key,
                                  const std::vector<Modification> &changes, const Value *before,
                                  Guards &guards, const LoopQuestions &ask, const ValueScope &scope) {
  Value start = before ? *before : ask.initial(key);
  if (!start.integer)
    return std::nullopt;
  int grows = growthOf(changes);
  bool nonNegative = start.integer->isNonNegative() && grows != 0;
  const Symbol *symbol = scope.symbols.uniform(summaryName(key), nonNegative, scope.loops());
  if (nonNegative) {
    Condition known = Condition::compare(Polynomial(symbol), grows < 0 ? "<=" : ">=", *start.integer);
    if (!known.isAlways(true))
      guards = std::make_shared<Guard>(
          Guard{known, loop.location,
                fmt::format("'{}' only {} in this loop", summaryName(key), grows < 0 ? "shrinks" : "grows"),
                guards});
  }
  return Value{Polynomial(symbol), std::nullopt, nullptr};
}

/// A pointer that the loop changes in another way: somewhere in memory of the same kind.
Value strayPointer(const Environment::Key &key, const PointerValue &before, const Value &forgotten,
                   ArrayTable &arrays) {
  Value value = forgotten;
  value.pointer = before;
  value.pointer->array = arrays.unknown(fmt::format("'{}' changes in the loop", key.first->getNameAsString()),
                                        before.array ? before.array->space : Array::Space::Unknown);
  value.pointer->offset = value.pointer->inner = forgotten.integer;
  value.pointer->outer.clear();
  value.pointer->scalar = nullptr;
  return value;
}

/// The changed variables, those of the loop's condition first: they are the ones that the loop counts.
std::vector<Environment::Key> inOrder(const Modifications &modified, const Expr *condition,
                                      const Environment &now) {
  std::vector<Environment::Key> keys;
  if (const auto *test = dyn_cast_or_null<BinaryOperator>(plain(condition)))
    for (const Expr *side : {test->getLHS(), test->getRHS()})
      if (Environment::Key key = keyOf(side, now); key.first && modified.count(key))
        keys.push_back(key);
  for (const auto &entry : modified)
    keys.push_back(entry.first);
  return keys;
}

std::string opposite(const std::string &op) {
  return op == "<" ? ">" : op == "<=" ? ">=" : op == ">" ? "<" : op == ">=" ? "<=" : op;
}

} // namespace

std::set<Environment::Key> uniformVariables(const Modifications &modified, const Environment &before,
                                            bool inKernel, const ASTContext &context,
                                            ThreadIndices &indices) {
  std::set<Environment::Key> candidates;
  for (const auto &[key, changes] : modified) {
    const Value *value = before.find(key);
    bool isSet = value && value->integer && !value->integer->dependsOnThread();
    if (isSet || (!value && isa<ParmVarDecl>(key.first) && inKernel))
      candidates.insert(key);
  }
  // Assume it of all, drop those for which it does not follow, until nothing changes.
  const Uniformly uniformly{modified, before, candidates, inKernel, context, indices};
  auto keeps = [&](const Modification &change) { return uniformly.keeps(change); };
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

LoopHead headOf(Loop &loop, const LoopParts &parts, const Modifications &modified,
                const std::set<Environment::Key> &uniform, const Values &start, const Environment &now,
                const Guards &guards, const LoopQuestions &ask, ArrayTable &arrays, const ValueScope &scope) {
  LoopHead head{.values = {}, .guards = guards};
  for (const Environment::Key &key : inOrder(modified, parts.condition, now)) {
    if (head.values.count(key))
      continue;
    auto at = start.find(key);
    const Value *before = at == start.end() ? nullptr : &at->second;
    const std::vector<Modification> &changes = modified.at(key);
    std::optional<Value> value = inductionValue(loop, key, changes, before, now, ask, scope);
    if (!value && uniform.count(key))
      value = uniformValue(loop, key, changes, before, head.guards, ask, scope);
    if (!value && before && before->pointer)
      value = strayPointer(key, *before->pointer, *now.find(key), arrays);
    if (value)
      head.values[key] = *value;
  }
  return head;
}

std::optional<int64_t> tripCount(const Loop &loop, bool testsFirst) {
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
  // A `do` loop runs once before its test: at least one iteration, and `!=` misses a bound that is the start.
  const int64_t least = testsFirst ? 0 : 1;
  if (op == "!=")
    return distance >= least && distance % stride == 0 ? std::optional(distance / stride) : std::nullopt;
  if ((up && op == "<=") || (!up && op == ">="))
    distance += 1;
  else if ((up && op != "<") || (!up && op != ">"))
    return std::nullopt;
  return distance <= 0 ? least : (distance + stride - 1) / stride;
}

void describeBound(Loop &loop, const LoopParts &parts, const Environment &now, const LoopQuestions &ask) {
  const Expr *condition = plain(parts.condition);
  const auto *test = dyn_cast_or_null<BinaryOperator>(condition);
  while (test && test->getOpcode() == BO_LAnd)
    test = dyn_cast_or_null<BinaryOperator>(plain(test->getLHS()));
  if (!test || !test->isComparisonOp() || loop.variable.empty())
    return;
  auto isCounter = [&](const Expr *side) {
    Environment::Key key = keyOf(side, now);
    return key.first && summaryName(key) == loop.variable;
  };
  bool isLeft = isCounter(test->getLHS());
  if (!isLeft && !isCounter(test->getRHS()))
    return;
  loop.bound = ask.evaluate(isLeft ? test->getRHS() : test->getLHS()).integer;
  std::string op = BinaryOperator::getOpcodeStr(test->getOpcode()).str();
  loop.comparison = isLeft ? op : opposite(op);
  if (test == condition && !loop.hasEarlyExit)
    loop.trips = tripCount(loop, parts.testsFirst);
}

Values valuesBehind(const Loop &loop, bool testsFirst, const Modifications &modified, const Values &atHead,
                    const Condition &goesOn, const ValueScope &scope) {
  const bool leavesTogether = !loop.hasEarlyExit && goesOn.isUniform();
  Values behind;
  for (const auto &entry : modified) {
    const Environment::Key &key = entry.first;
    Value after = Value::unknown(fmt::format("'{}' is what the loop left", summaryName(key)), loop.location);
    auto head = atHead.find(key);
    if (head != atHead.end() && head->second.integer) {
      const Polynomial &form = *head->second.integer;
      bool isOfIteration = !form.mentionsAny([&](const Symbol &s) {
        return s.kind == SymbolKind::Uniform && !s.variesIn.empty() && s.variesIn.back() == &loop;
      });
      if (loop.trips && testsFirst && isOfIteration)
        after.integer = form.substituted(loop.counter, Polynomial(*loop.trips), &scope.symbols);
      else if (leavesTogether && !form.dependsOnThread())
        after.integer = Polynomial(scope.symbols.uniform(
            fmt::format("{}@{}", summaryName(key), loop.location.line), false, scope.loops()));
    }
    if (head != atHead.end() && head->second.pointer) {
      after.pointer = head->second.pointer;
      after.pointer->offset = after.pointer->inner = after.integer;
      after.pointer->outer.clear();
    }
    behind.emplace(key, std::move(after));
  }
  return behind;
}

} // namespace heddle::analysis::walk
