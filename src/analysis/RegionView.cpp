// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is stored but numbers: the steps of a sequence are read off the tree on demand. Braces and
// labels around barriers do not show, so a region may reach over them.
#include "analysis/RegionView.h"

#include "source/ReachingDefinitions.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {
namespace {

using NodeKind = KernelNode::Kind;

/// What an if or for begins with: executed once, before the rest.
const Stmt *beginningOf(const KernelNode &node) {
  if (auto *loop = dyn_cast<ForStmt>(node.statement))
    return loop->getInit();
  auto *branch = dyn_cast<IfStmt>(node.statement);
  return branch ? branch->getInit() : nullptr;
}

bool holdsIn(const KernelNode &node, const Stmt *part) {
  return std::ranges::any_of(node.barriers, [&](const BarrierPoint &point) { return point.part == part; });
}

} // namespace

RegionView::RegionView(const KernelTree &tree) : tree(tree) {
  if (!tree.regions().isStructured())
    addToRegion(top, tree.root().statement);
  else
    for (const auto &child : tree.root().children)
      add(top, *child);
  forEach([&](const RegionStep &step) {
    if (step.kind != RegionStep::Kind::Region)
      return;
    const unsigned number = count();
    numbers[step.statements.front()] = number;
    for (const Stmt *statement : step.statements)
      byStatement[statement] = number;
  });
  setNumbers(top);
}

void RegionView::setNumbers(std::vector<RegionStep> &steps) const {
  for (RegionStep &step : steps)
    if (step.kind == RegionStep::Kind::Region)
      if (auto found = numbers.find(step.statements.front()); found != numbers.end())
        step.region = found->second;
}

void RegionView::forEach(const std::vector<RegionStep> &steps, const Visit &visit) const {
  for (const RegionStep &step : steps) {
    visit(step);
    if (step.kind == RegionStep::Kind::Loop || step.kind == RegionStep::Kind::Branch)
      for (const RegionPart &part : partsOf(*step.node))
        forEach(part.steps, visit);
  }
}

std::optional<unsigned> RegionView::regionOf(const Stmt *statement) const {
  for (const Stmt *at = statement; at; at = tree.definitions().graph().parent(at))
    if (auto found = byStatement.find(at); found != byStatement.end())
      return found->second;
  return std::nullopt;
}

/// Puts a statement at the end of a sequence: into the region there, or as a step of its own.
void RegionView::add(std::vector<RegionStep> &steps, const KernelNode &node) const {
  if (!node.holdsBarrier)
    return addToRegion(steps, node.written);
  if (node.kind == NodeKind::Block || node.kind == NodeKind::Case || node.kind == NodeKind::Label) {
    for (const auto &child : node.children)
      add(steps, *child);
    return;
  }
  const Stmt *beginning = beginningOf(node);
  if (beginning && holdsIn(node, beginning))
    addBarriers(steps, node, [&](const BarrierPoint &point) { return point.part == beginning; });
  else if (beginning && node.kind == NodeKind::Branch)
    addToRegion(steps, beginning);
  if (node.kind != NodeKind::Loop)
    addBarriers(steps, node, [&](const BarrierPoint &point) { return point.part != beginning; });
  if (node.children.empty())
    return;
  steps.push_back({});
  steps.back().kind = node.kind == NodeKind::Loop ? RegionStep::Kind::Loop : RegionStep::Kind::Branch;
  steps.back().node = &node;
}

void RegionView::addToRegion(std::vector<RegionStep> &steps, const Stmt *statement) const {
  if (isa<NullStmt>(statement))
    return;
  if (steps.empty() || steps.back().kind != RegionStep::Kind::Region)
    steps.push_back({});
  steps.back().statements.push_back(statement);
}

void RegionView::addBarriers(std::vector<RegionStep> &steps, const KernelNode &node,
                             const std::function<bool(const BarrierPoint &)> &isWanted) const {
  for (const BarrierPoint &point : node.barriers) {
    if (!isWanted(point))
      continue;
    steps.push_back({});
    steps.back().kind = point.call ? RegionStep::Kind::Call : RegionStep::Kind::Barrier;
    steps.back().node = &node;
    steps.back().point = &point;
  }
}

std::vector<RegionPart> RegionView::partsOf(const KernelNode &node) const {
  std::vector<RegionPart> parts;
  if (node.kind == NodeKind::Loop) {
    parts = partsOfLoop(node);
  } else if (node.kind == NodeKind::Switch) {
    parts = casesOf(node);
  } else {
    auto *branch = cast<IfStmt>(node.statement);
    parts = {{branch->getThen(), {}}, {branch->getElse(), {}}};
    for (size_t i = 0; i < node.children.size(); ++i)
      add(parts[i].steps, *node.children[i]);
  }
  for (RegionPart &part : parts)
    setNumbers(part.steps);
  return parts;
}

std::vector<RegionPart> RegionView::partsOfLoop(const KernelNode &loop) const {
  const Stmt *condition = nullptr, *step = nullptr;
  if (auto *counted = dyn_cast<ForStmt>(loop.statement)) {
    condition = counted->getCond();
    step = counted->getInc();
  } else if (auto *tested = dyn_cast<WhileStmt>(loop.statement)) {
    condition = tested->getCond();
  } else if (auto *repeated = dyn_cast<DoStmt>(loop.statement)) {
    step = repeated->getCond(); // evaluated after the body
  }
  std::vector<RegionPart> parts;
  const auto addHead = [&](const Stmt *part) {
    if (!part || !holdsIn(loop, part))
      return;
    parts.push_back({part, {}});
    addBarriers(parts.back().steps, loop, [&](const BarrierPoint &point) { return point.part == part; });
  };
  addHead(condition);
  parts.push_back({loop.children[0]->written, {}});
  add(parts.back().steps, *loop.children[0]);
  addHead(step);
  return parts;
}

/// `case 1: case 2:` share one part. What comes before the first label is never executed.
std::vector<RegionPart> RegionView::casesOf(const KernelNode &choice) const {
  std::vector<RegionPart> parts;
  const auto addCase = [&](const KernelNode *node) {
    for (; node->kind == NodeKind::Case; node = node->children[0].get())
      if (parts.empty() || !parts.back().steps.empty())
        parts.push_back({node->statement, {}});
    if (!parts.empty())
      add(parts.back().steps, *node);
  };
  const KernelNode &body = *choice.children[0];
  if (body.kind != NodeKind::Block)
    addCase(&body);
  else
    for (const auto &child : body.children)
      addCase(child.get());
  return parts;
}

} // namespace heddle::analysis
