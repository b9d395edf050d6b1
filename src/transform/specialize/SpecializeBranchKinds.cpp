// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice backwards from the branch: its conditions need some variables, the statements that set these need
// others, and guards that end an item's work are always needed. All of that is executed twice, first to learn
// the kind and then as part of the work, so it must have no effect but on variables of its own.
//
// What comes out is a hint: an item that was put with the wrong kind makes its warp slow, not wrong, since
// its work still decides by itself which arm to take. Only 'nothing to do' must be true. It holds where no arm is
// taken and nothing outside of the arms has an effect; else such items are a kind of their own.
#include "transform/specialize/SpecializeBranchKinds.h"

#include "analysis/OutwardEffects.h"
#include "analysis/StatementShape.h"
#include "analysis/Uses.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::declaredBy;
using analysis::headerOf;
using analysis::Jumps;
using analysis::jumpsOf;
using analysis::Uses;

namespace {

class Planner {
public:
  Planner(const analysis::WorkSite &site, const analysis::KernelFacts &facts)
      : site(site), facts(facts), unit(*facts.kernel->unit) {}

  std::variant<KindPlan, Diagnostic> plan() {
    findNeeded();
    if (LegalityFailure reason = whyNotTwice())
      return *reason;
    numberArms();
    numberExits();
    return result;
  }

private:
  /// What the levels' own statements evaluate, without what is inside them.
  std::vector<const Stmt *> headsOf(const analysis::LevelOfWay &level) const {
    if (level.holder != site.branch.statement || site.branch.isSwitch())
      return headerOf(level.holder);
    std::vector<const Stmt *> heads;
    for (const analysis::KindArm &arm : site.branch.arms)
      if (arm.test)
        for (const Stmt *head : headerOf(arm.test))
          heads.push_back(head);
    return heads;
  }

  void findNeeded() {
    result.needed.resize(site.way.size());
    for (size_t level = site.way.size(); level-- > 0;) {
      for (const Stmt *head : headsOf(site.way[level]))
        need(head);
      const std::vector<const Stmt *> &before = site.way[level].before;
      for (auto statement = before.rbegin(); statement != before.rend(); ++statement)
        if (endsWork(*statement) || setsWanted(*statement)) {
          result.needed[level].insert(result.needed[level].begin(), *statement);
          need(*statement);
        }
    }
  }

  void need(const Stmt *code) {
    for (const VarDecl *variable : Uses::of(code).variables())
      result.variables.insert(variable);
  }

  bool endsWork(const Stmt *statement) const {
    const Jumps jumps = jumpsOf(statement);
    return jumps.returns || jumps.leavesLoop;
  }

  bool setsWanted(const Stmt *statement) const {
    if (isa<DeclStmt>(statement))
      return std::ranges::any_of(declaredBy(statement), [&](const VarDecl *variable) {
        return result.variables.contains(variable);
      });
    return std::ranges::any_of(Uses::of(statement).locals, [&](const DeclRefExpr *reference) {
      return result.variables.contains(cast<VarDecl>(reference->getDecl())) &&
             source::isChanged(reference, facts.uniformity->definitions().graph());
    });
  }

  LegalityFailure whyNotTwice() const {
    for (size_t level = 0; level < site.way.size(); ++level) {
      std::vector<const Stmt *> code = result.needed[level];
      for (const Stmt *head : headsOf(site.way[level]))
        if (head)
          code.push_back(head);
      for (const Stmt *part : code)
        if (LegalityFailure effect = analysis::firstOutwardEffect(unit, part)) {
          LegalityFailure reason =
              legalityFailure(effect->location, "the kind of work depends on this, which would be executed "
                                                "twice, first to sort the work items: " +
                                                    effect->text);
          reason->notes = effect->notes;
          reason->note(unit.location(site.branch.statement), "the branch over kinds is here");
          return reason;
        }
    }
    for (const VarDecl *variable : result.variables)
      if (facts.uniformity->definitions().addressEscapes(variable))
        return legalityFailure(unit.location(variable->getLocation()),
                               "the kind of work depends on '{}', whose address escapes",
                               variable->getNameAsString());
    return std::nullopt;
  }

  bool hasEffect(const std::vector<const Stmt *> &statements) const {
    return std::ranges::any_of(statements, [&](const Stmt *statement) {
      return analysis::firstOutwardEffect(unit, statement).has_value();
    });
  }

  void numberArms() {
    for (const analysis::KindArm &arm : site.branch.arms)
      result.ofArm.push_back(arm.isEmpty ? std::nullopt : KindPlan::Kind(result.kinds++));
    const bool isHarmless = std::ranges::none_of(site.way, [&](const analysis::LevelOfWay &level) {
      return hasEffect(level.before) || hasEffect(level.behind);
    });
    if (isHarmless)
      return;
    const bool isNeeded = !site.branch.isComplete || site.way.size() > 1 ||
                          std::ranges::any_of(site.branch.arms, &analysis::KindArm::isEmpty);
    if (!isNeeded)
      return;
    result.ofNone = result.kinds++;
    for (size_t i = 0; i < result.ofArm.size(); ++i)
      if (!result.ofArm[i])
        result.ofArm[i] = result.ofNone;
  }

  /// Guards: what comes before them is all that an item does that they end.
  void numberExits() {
    bool isHarmless = true;
    for (size_t level = 0; level < site.way.size(); ++level)
      for (const Stmt *statement : site.way[level].before) {
        isHarmless = isHarmless && !hasEffect({statement});
        if (!endsWork(statement))
          continue;
        if (!isHarmless && !result.ofNone)
          result.ofNone = result.kinds++;
        result.ofExit[statement] = isHarmless ? std::nullopt : result.ofNone;
      }
  }

  const analysis::WorkSite &site;
  const analysis::KernelFacts &facts;
  const source::Unit &unit;
  KindPlan result;
};

} // namespace

std::variant<KindPlan, Diagnostic> planKinds(const analysis::WorkSite &site,
                                             const analysis::KernelFacts &facts) {
  return Planner(site, facts).plan();
}

} // namespace heddle::transform
