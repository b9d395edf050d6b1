// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way to the branch goes through blocks of statements and single-armed ifs: what is in there is done once
// for an item, so that the item is of one kind. A branch inside a loop of the item's own is another one in
// each iteration, and sorting items by it once would not help.
#include "analysis/WorkSite.h"

#include "analysis/Barriers.h"
#include "analysis/StatementShape.h"
#include "analysis/loops/LoopStudy.h"
#include "model/Thresholds.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

namespace {

/// How much code there is, by nodes of the tree.
unsigned weightOf(const Stmt *code) {
  if (!code)
    return 0;
  unsigned sum = 1;
  for (const Stmt *child : code->children())
    sum += weightOf(child);
  return isLoop(code) ? sum * model::threshold::work::assumedTripsOfBranch : sum;
}

// The branch
// ----------------------------------------------------------------------------------------------------------

bool isNothing(const Stmt *statement) {
  if (auto *block = dyn_cast_or_null<CompoundStmt>(statement))
    return std::ranges::all_of(block->body(), isNothing);
  return !statement || isa<BreakStmt, NullStmt>(statement);
}

/// The labels in front of one statement of a switch, and what is after them.
KindArm armOf(const SwitchCase *first) {
  KindArm arm;
  const Stmt *behind = first;
  while (auto *label = dyn_cast_or_null<SwitchCase>(behind)) {
    arm.labels.push_back(label);
    behind = label->getSubStmt();
  }
  arm.isEmpty = isa_and_nonnull<BreakStmt>(behind);
  return arm;
}

std::optional<KindBranch> readSwitch(const SwitchStmt *statement) {
  auto *body = dyn_cast<CompoundStmt>(statement->getBody());
  if (!body)
    return std::nullopt;
  KindBranch branch;
  branch.statement = statement;
  branch.weight = weightOf(body);
  size_t labels = 0, all = 0;
  for (const Stmt *part : body->body())
    if (auto *label = dyn_cast<SwitchCase>(part)) {
      branch.arms.push_back(armOf(label));
      labels += branch.arms.back().labels.size();
    }
  for (const SwitchCase *label = statement->getSwitchCaseList(); label; label = label->getNextSwitchCase()) {
    ++all;
    branch.isComplete |= isa<DefaultStmt>(label);
  }
  return labels == all ? std::optional(branch) : std::nullopt; // else one leads into a loop
}

std::optional<KindBranch> readChain(const IfStmt *first) {
  KindBranch branch;
  branch.statement = first;
  for (const Stmt *next = first; next;) {
    auto *test = dyn_cast<IfStmt>(next);
    const Stmt *side = test ? test->getThen() : next;
    branch.arms.push_back({test, {}, isNothing(side)});
    branch.weight += weightOf(side);
    branch.isComplete |= !test;
    next = test ? test->getElse() : nullptr;
  }
  return branch;
}

Level levelOf(const KindBranch &branch, const Uniformity &uniformity) {
  if (branch.isSwitch())
    return uniformity.branchLevel(branch.statement);
  Level level = Level::Grid;
  for (const KindArm &arm : branch.arms)
    if (arm.test)
      level = join(level, uniformity.branchLevel(arm.test));
  return level;
}

// The way to it
// ----------------------------------------------------------------------------------------------------------

class Search {
public:
  explicit Search(const Uniformity &uniformity) : uniformity(uniformity) {}

  void inKernel(const CompoundStmt *body) {
    site.kernelBody = body;
    const std::vector<const Stmt *> statements = statementsOf(body);
    lookInto(statements, [&](const Stmt *holder) { takeThreads(statements, holder); });
    for (const Stmt *statement : statements)
      if (auto *loop = dyn_cast<ForStmt>(statement))
        takeLoop(statements, loop);
    result.hidden = result.hidden ? result.hidden : branchAnywhere(body);
  }

  SiteSearch result;

private:
  using Found = std::function<void(const Stmt *)>;

  /// Looks for branches in a block; `found` gets what holds one.
  void lookInto(const std::vector<const Stmt *> &statements, const Found &found) {
    for (size_t i = 0; i < statements.size(); ++i) {
      const Stmt *statement = statements[i];
      const auto here = statements.begin() + long(i);
      way.push_back({{statements.begin(), here}, {here + 1, statements.end()}, statement});
      if (auto *choice = dyn_cast<SwitchStmt>(statement))
        consider(readSwitch(choice), statement, found);
      if (auto *test = dyn_cast<IfStmt>(statement)) {
        consider(readChain(test), statement, found);
        if (!test->getElse())
          lookInto(statementsOf(test->getThen()), [&](const Stmt *) { found(statement); });
      }
      way.pop_back();
    }
  }

  void consider(std::optional<KindBranch> branch, const Stmt *holder, const Found &found) {
    if (!branch)
      return;
    if (branch->armsWithWork() < 2) {
      if (branch->arms.size() > 1 || branch->isSwitch())
        result.oneSided = result.oneSided ? result.oneSided : branch->statement;
      return;
    }
    branch->level = levelOf(*branch, uniformity);
    if (branch->level <= Level::Warp) {
      result.uniform = result.uniform ? result.uniform : branch->statement;
      return;
    }
    site.branch = *branch;
    site.way = way;
    found(holder);
  }

  /// Work begins after the last barrier before the branch.
  void takeThreads(const std::vector<const Stmt *> &statements, const Stmt *holder) {
    size_t begin = 0;
    for (size_t i = 0; statements[i] != holder; ++i)
      if (holdsBarrier(statements[i], uniformity.unit().context()))
        begin = i + 1;
    WorkSite threads = site;
    threads.loop = nullptr;
    threads.outside.assign(statements.begin(), statements.begin() + long(begin));
    threads.work.assign(statements.begin() + long(begin), statements.end());
    threads.way.front().before.erase(threads.way.front().before.begin(),
                                     threads.way.front().before.begin() + long(begin));
    keepHeavier(std::move(threads));
  }

  void takeLoop(const std::vector<const Stmt *> &statements, const ForStmt *loop) {
    auto *head = dyn_cast_or_null<DeclStmt>(loop->getInit());
    auto *counter = head && head->isSingleDecl() ? dyn_cast<VarDecl>(head->getSingleDecl()) : nullptr;
    if (!counter || !counter->getType()->isIntegerType() || !loop->getCond() || !loop->getInc() ||
        loop->getConditionVariable())
      return;
    const std::vector<const Stmt *> body = statementsOf(loop->getBody());
    lookInto(body, [&](const Stmt *) {
      WorkSite items = site;
      items.loop = loop;
      items.counter = counter;
      items.work = body;
      for (size_t i = 0; statements[i] != loop; ++i)
        items.outside.push_back(statements[i]);
      keepHeavier(std::move(items));
    });
  }

  void keepHeavier(WorkSite another) {
    if (result.found.empty())
      result.found.push_back(std::move(another));
    else if (another.branch.weight > result.found.front().branch.weight)
      result.found.front() = std::move(another);
  }

  /// A branch of several arms that is no item's, for the message.
  const Stmt *branchAnywhere(const Stmt *code) const {
    if (!code)
      return nullptr;
    if (isa<SwitchStmt>(code))
      return code;
    if (auto *test = dyn_cast<IfStmt>(code); test && test->getElse() && isa<IfStmt>(test->getElse()))
      return code;
    for (const Stmt *child : code->children())
      if (const Stmt *found = branchAnywhere(child))
        return found;
    return nullptr;
  }

  const Uniformity &uniformity;
  std::vector<LevelOfWay> way;
  WorkSite site;
};

} // namespace

bool KindBranch::isSwitch() const { return isa<SwitchStmt>(statement); }

unsigned KindBranch::armsWithWork() const {
  return unsigned(std::ranges::count_if(arms, [](const KindArm &arm) { return !arm.isEmpty; }));
}

SiteSearch findWorkSite(const Stmt *kernelBody, const Uniformity &uniformity) {
  Search search(uniformity);
  search.inKernel(cast<CompoundStmt>(kernelBody));
  return search.result;
}

} // namespace heddle::analysis
