// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/walk/Path.h"

#include "analysis/Barriers.h"
#include "analysis/walk/Loads.h"

#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::analysis::walk {

void guard(const Condition &condition, const Expr *text, bool negated, Path &path) {
  if (condition.isAlways(true))
    return;
  std::string written = textOf(text, path.context);
  path.guards = std::make_shared<Guard>(
      Guard{condition, path.location(text), negated ? "!(" + written + ")" : written, path.guards});
}

Event *append(Event::Kind kind, Path &path) {
  auto event = std::make_unique<Event>();
  event->kind = kind;
  event->parent = path.sequence;
  event->indexInParent = unsigned(path.sequence->children.size());
  path.sequence->children.push_back(std::move(event));
  return path.sequence->children.back().get();
}

void appendBarrier(Event::Kind kind, const Stmt *at, Path &path) {
  if (path.isSilent)
    return;
  append(kind, path)->location = path.location(at);
  path.found.barriers += kind == Event::Kind::Barrier;
}

void noteBarrier(const Barrier &barrier, const Stmt *at, Path &path) {
  if (barrier.ordersBlock())
    appendBarrier(Event::Kind::Barrier, at, path);
  else if (barrier.scope == Barrier::Scope::Warp && barrier.action == Barrier::Action::Sync)
    appendBarrier(Event::Kind::WarpBarrier, at, path);
}

unsigned currentRegion(Path &path) {
  if (path.sequence->children.empty() || path.sequence->children.back()->kind != Event::Kind::Region)
    append(Event::Kind::Region, path)->region = path.found.regions++;
  return path.sequence->children.back()->region;
}

void noteGap(const Stmt *at, std::string what, Path &path) {
  for (const Diagnostic &known : path.found.gaps)
    if (known.text == what)
      return;
  path.found.gaps.push_back({Severity::Warning, path.location(at), std::move(what), {}, {}});
}

Value joined(const Environment::Key &key, const Value &left, const Value &right, const Condition &decision,
             const SourceLocation &location, Path &path) {
  return joined(key, left, right, decision, location, path.arrays, path.scope());
}

Environment::Changes joined(const Environment::Changes &left, const Environment::Changes &right,
                            const Condition &decision, const SourceLocation &location, Path &path) {
  return joined(left, right, decision, location, path.arrays, path.scope());
}

} // namespace heddle::analysis::walk
