// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop's body is followed once, for an iteration in the middle: each variable that the loop changes gets, at
// the head of the body, a value that holds in every iteration.
#include "analysis/walk/Loops.h"

#include "analysis/walk/Expressions.h"
#include "analysis/walk/LoopSummary.h"
#include "analysis/walk/Memory.h"
#include "analysis/walk/Statements.h"

#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

/// Sets the changed variables to the values that they have at the head of the body in every iteration, and
/// describes the loop.
Values enterLoop(Loop &loop, Symbol &counter, const LoopParts &parts, const Modifications &modified,
                 Path &path) {
  auto evaluateSilently = [&](const Expr *expression) {
    Silence silence(path);
    return evaluate(expression, path);
  };
  auto initial = [&](const Environment::Key &key) {
    return initialValue(key.first, key.second, key.first->getType(), path);
  };
  const LoopQuestions ask{evaluateSilently, initial};

  const std::set<Environment::Key> uniform =
      uniformVariables(modified, path.now, path.isInKernel(), path.context, path.indices);
  // Forget all first: a stride must not be computed from a variable that the loop changes.
  Values start;
  for (const auto &entry : modified) {
    const Environment::Key &key = entry.first;
    if (const Value *value = path.now.find(key))
      start.emplace(key, *value);
    path.now.set(key, Value::unknown(
                          fmt::format("'{}' changes in the loop", key.first->getNameAsString() + key.second),
                          loop.location));
  }
  LoopHead head =
      headOf(loop, parts, modified, uniform, start, path.now, path.guards, ask, path.arrays, path.scope());
  for (const auto &[key, value] : head.values)
    path.now.set(key, value);
  path.guards = head.guards;

  // A loop from 0 in steps of 1 counts its own iterations, so its variable's name describes it best.
  const bool countsItself = loop.start.constant() == 0 && loop.step.constant() == 1;
  counter.name = loop.variable.empty() ? fmt::format("#{}", loop.location.line)
                                       : (countsItself ? "" : "#") + loop.variable;
  Values atHead;
  for (const auto &entry : modified)
    atHead[entry.first] = *path.now.find(entry.first);
  describeBound(loop, parts, path.now, ask);
  if (loop.trips && *loop.trips > 0)
    counter.most = *loop.trips - 1;
  return atHead;
}

/// Follows the condition, body and increment at a point inside the loop. Returns the condition to go on.
Condition followIteration(const Loop &loop, const LoopParts &parts, Path &path) {
  Condition goesOn = Condition::always(true);
  if (parts.testsFirst && parts.condition) {
    goesOn = evaluateCondition(parts.condition, path);
    guard(goesOn, parts.condition, false, path);
  }
  const bool neverRuns = goesOn.isAlways(false) || loop.trips == 0;
  if (neverRuns)
    return goesOn;
  follow(parts.body, path);
  if (parts.increment)
    evaluate(parts.increment, path);
  return parts.testsFirst ? goesOn : evaluateCondition(parts.condition, path);
}

} // namespace

bool followLoop(const LoopParts &parts, Path &path) {
  auto owned = std::make_unique<Loop>();
  Loop &loop = *owned;
  loop.statement = parts.statement;
  loop.parent = path.loop;
  loop.location = path.location(parts.statement);
  if (!path.isSilent)
    path.found.loops.push_back(std::move(owned));
  const Loop *outerLoop = std::exchange(path.loop, &loop);
  Event *outerSequence = path.sequence;
  Guards outerGuards = path.guards;

  const LoopChanges changes = changesIn(parts, path.now, path.unit.sources());
  loop.hasEarlyExit = changes.hasExit;
  loop.counter = path.symbols.iteration(&loop, "#");
  const Values atHead = enterLoop(loop, const_cast<Symbol &>(*loop.counter), parts, changes.modified, path);

  Event *loopEvent = append(Event::Kind::Loop, path);
  loopEvent->loop = &loop;
  loopEvent->mayBeSkipped = parts.testsFirst && !(loop.trips && *loop.trips > 0);
  path.sequence = loopEvent;
  path.sequence = append(Event::Kind::Sequence, path);
  const Condition goesOn = followIteration(loop, parts, path);

  path.sequence = outerSequence;
  path.guards = outerGuards;
  path.loop = outerLoop;
  for (auto &[key, value] :
       valuesBehind(loop, parts.testsFirst, changes.modified, atHead, goesOn, path.scope()))
    path.now.set(key, value);
  // `while (true)` without a break is left only by returning.
  return !(goesOn.isAlways(true) && parts.condition && !loop.hasEarlyExit && parts.testsFirst);
}

} // namespace heddle::analysis::walk
