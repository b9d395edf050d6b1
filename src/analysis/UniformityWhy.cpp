// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a level back to its reason, for people: the chain of causes, one step for each place worth showing.
#include "analysis/UniformityImpl.h"
#include "source/Unit.h"

#include <algorithm>
#include <functional>

using namespace clang;

namespace heddle::analysis {
namespace {

/// Longer chains say no more than shorter ones.
constexpr unsigned longestChain = 12;

using source::Definition;

SourceLocation locationOf(const source::Unit &unit, const Definition &definition) {
  if (definition.statement)
    return isa<DeclStmt>(definition.statement) ? unit.location(definition.variable->getLocation())
                                               : unit.location(definition.statement);
  return unit.location(definition.variable->getLocation());
}

} // namespace

void Uniformity::Impl::explain(const Fact &first, std::vector<Step> &steps, unsigned depth) const {
  const source::Unit &unit = *shared->unit;
  std::set<const void *> seen;
  const Fact *at = &first;
  auto add = [&](SourceLocation location, std::string text) {
    steps.push_back({std::move(location), std::move(text)});
  };
  // What is around a && or ?: is no element of the flow graph and has no fact kept for it: its parts
  // have.
  std::function<const Fact *(const Stmt *)> factOf = [&](const Stmt *expression) -> const Fact * {
    auto found = values.find(expression);
    const Fact *value = found == values.end() ? nullptr : &found->second;
    if (value && value->level != Level::Grid)
      return value;
    auto address = addresses.find(expression);
    if (address != addresses.end())
      return &address->second;
    for (const Stmt *part : expression->children())
      if (const Fact *fact = !value && part ? factOf(part) : nullptr; fact && fact->level == at->level)
        return fact;
    return value;
  };
  while (at && at->level != Level::Grid && seen.insert(at).second && steps.size() < longestChain) {
    const Cause &cause = at->cause;
    switch (cause.kind) {
    case Cause::Kind::None: return;
    case Cause::Kind::Operand: at = factOf(cause.expression); break;
    case Cause::Kind::Value: {
      const auto &value = definitions->values()[cause.value];
      if (value.kind == source::ReachingDefinitions::Value::Kind::Definition)
        add(locationOf(unit, definitions->definitions()[value.definition]),
            fmt::format("'{}' is set here", value.variable->getNameAsString()));
      at = &ssa[cause.value];
      break;
    }
    case Cause::Kind::Branch:
      add(unit.location(cause.expression), "threads that decided differently here reconverge");
      at = &branches[cause.block];
      break;
    case Cause::Kind::LoopExit: {
      std::string name = definitions->values()[cause.value].variable->getNameAsString();
      add(unit.location(cause.expression),
          fmt::format("threads leave this loop in different iterations, with their own '{}'", name));
      at = &branches[cause.block];
      break;
    }
    case Cause::Kind::Root: add(unit.location(cause.expression), cause.text); return;
    case Cause::Kind::Parameter:
      add(unit.location(graph().function()->getParamDecl(cause.block)->getLocation()),
          fmt::format("the argument for '{}' differs by {}",
                      graph().function()->getParamDecl(cause.block)->getNameAsString(), nameOf(at->level)));
      return;
    case Cause::Kind::Object: add(unit.location(cause.expression), "the object differs"); return;
    case Cause::Kind::Call: {
      const Stmt *call = cause.expression;
      auto callee = callees.find(call);
      if (callee == callees.end() || depth > 4)
        return;
      const Impl &inside = *callee->second->impl;
      const FunctionDecl *function = inside.graph().function();
      add(unit.location(call),
          isa<CXXConstructorDecl>(function)
              ? fmt::format("what the constructor of '{}' writes",
                            cast<CXXConstructorDecl>(function)->getParent()->getNameAsString())
              : fmt::format("what '{}' {}", function->getNameAsString(), cause.value ? "writes" : "returns"));
      inside.explain(cause.value ? inside.written : inside.returned, steps, depth + 1);
      // Where it comes down to an argument, go on from that argument here.
      const Stmt *next = nullptr;
      auto *made = dyn_cast<CXXConstructExpr>(call);
      auto argumentOf = [&](unsigned i) { return made ? made->getArg(i) : cast<CallExpr>(call)->getArg(i); };
      const unsigned arguments = made ? made->getNumArgs() : cast<CallExpr>(call)->getNumArgs();
      for (unsigned i = 0; i < function->getNumParams() && i < arguments; ++i)
        if (const Fact *argument = factOf(argumentOf(i)->IgnoreParens());
            argument && argument->level == at->level && !next &&
            steps.back().text.find("'" + function->getParamDecl(i)->getNameAsString() + "'") !=
                std::string::npos)
          next = argumentOf(i)->IgnoreParens();
      at = next ? factOf(next) : nullptr;
      break;
    }
    }
  }
}

std::vector<Step> Uniformity::why(const Expr *expression) const {
  std::vector<Step> steps;
  source::withDeepStack([&] { impl->explain(impl->valueOf(expression), steps, 0); });
  return steps;
}

static DivergentBranch::Kind kindOf(const Stmt *statement) {
  using Kind = DivergentBranch::Kind;
  if (isa<SwitchStmt>(statement))
    return Kind::Switch;
  if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement))
    return Kind::Loop;
  if (isa<AbstractConditionalOperator>(statement))
    return Kind::Conditional;
  if (isa<BinaryOperator>(statement))
    return Kind::ShortCircuit;
  return isa<IfStmt>(statement) ? Kind::If : Kind::Goto;
}

void Uniformity::Impl::collectDivergentBranches() {
  std::map<const Stmt *, unsigned> byStatement;
  for (unsigned block : graph().reversePostorder()) {
    if (branches[block].level <= Level::Block)
      continue;
    const Stmt *statement = graph().decision(block);
    if (!statement)
      continue;
    auto [entry, isNew] = byStatement.emplace(statement, unsigned(divergent.size()));
    if (isNew) {
      DivergentBranch branch;
      branch.kind = kindOf(statement);
      branch.statement = statement;
      branch.location = shared->unit->location(statement->getBeginLoc());
      divergent.push_back(std::move(branch));
    }
    DivergentBranch &branch = divergent[entry->second];
    if (isNew || branches[block].level > branch.level) {
      branch.level = branches[block].level;
      branch.condition = graph().condition(block);
      branch.why.clear();
      explain(branches[block], branch.why, 0);
    }
  }
  std::stable_sort(
      divergent.begin(), divergent.end(), [](const DivergentBranch &a, const DivergentBranch &b) {
        return std::tie(a.location.line, a.location.column) < std::tie(b.location.line, b.location.column);
      });
}

} // namespace heddle::analysis
