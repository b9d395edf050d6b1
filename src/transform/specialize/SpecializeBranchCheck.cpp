// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between two barriers, the results of threads that do not race do not depend on the order in which they run, nor which hardware
// thread is which of them. So all that is to be shown is that an item's work
//
//   - holds no barrier, and nothing by which lanes of a warp speak with each other;
//   - learns who it is from its index alone: threadIdx in its own text, which is hidden by a parameter of
//     that name, or the counter of the loop;
//   - takes from outside only what all threads of the block agree on, and leaves nothing there but in memory;
//   - and that all threads of the block come to the place where items change hands.
#include "transform/specialize/SpecializeBranchCheck.h"

#include "analysis/Barriers.h"
#include "analysis/HiddenCode.h"
#include "analysis/OutwardEffects.h"
#include "analysis/StatementShape.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/StructuredBindings.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::isLoop;
using analysis::jumpsOf;

namespace {

using analysis::Level;
using analysis::ThreadBuiltin;

/// A ballot is taken for each kind.
constexpr unsigned mostKinds = 32;

/// Everything in some code that bears on where it may run, in the order of the text, lambdas included.
class WorkReader : public DynamicRecursiveASTVisitor {
public:
  WorkReader(const Unit &unit, LegalityFailure &found) : unit(unit), found(found) {}

  bool VisitStmt(Stmt *statement) override {
    if (found)
      return false;
    if (std::optional<analysis::Barrier> barrier = analysis::barrierAt(statement, unit.context()))
      return refuse(
          statement,
          fmt::format("'{}' is in work that only threads of one kind execute: the others would not reach it",
                      barrier->spelling));
    if (isa<AsmStmt>(statement))
      return refuse(statement,
                    "there is inline assembly in the work, and it may read the index of its thread");
    if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(statement))
      return refuse(statement, "there is a label or a goto in the work");
    if (isa<CUDAKernelCallExpr>(statement))
      return refuse(statement, "there is a launch on the device in the work");
    if (auto *expression = dyn_cast<Expr>(statement);
        expression && expression->isGLValue() && expression->getType().isVolatileQualified())
      return refuse(statement, "this is volatile: threads of a warp may rely on lockstep execution here");
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = analysis::calleeOf(call);
    if (!callee)
      return refuse(call, "a function is called through a pointer, and it may read the index of its thread");
    if (analysis::isOfNamespace(callee, "cub"))
      return refuse(call, "threads cooperate in this call");
    return lookInto(call, callee);
  }
  bool VisitVarDecl(VarDecl *variable) override {
    declared.insert(variable);
    if (!variable->hasAttr<CUDASharedAttr>() || found)
      return !found;
    found = legalityFailure(unit.location(variable->getLocation()),
                            "'{}' is shared memory that the work declares", variable->getNameAsString());
    found->withHint("declare it at the beginning of the kernel, before a barrier");
    return false;
  }
  bool VisitLambdaExpr(LambdaExpr *lambda) override {
    for (const analysis::BuiltinBeyondCapture &hidden : analysis::builtinsBeyondCapture(lambda))
      if (hidden.what.kind == ThreadBuiltin::Kind::ThreadIdx)
        return refuse(lambda,
                      hidden.why +
                          ", so it would read the index of the executing thread, not of the work item");
    return true;
  }

  std::set<const VarDecl *> declared;

private:
  bool refuse(const Stmt *at, std::string why) {
    found = legalityFailure(unit.location(at), std::move(why));
    return false;
  }

  /// Functions have no parameter that hides threadIdx.
  bool lookInto(const CallExpr *call, const FunctionDecl *callee) {
    const FunctionDecl *definition = nullptr;
    if (!callee->hasBody(definition) || !unit.isUserCode(definition->getLocation()) ||
        !seen.insert(definition).second)
      return true;
    for (const Uses::Builtin &builtin : Uses::of(definition->getBody()).builtins)
      if (builtin.what.kind == ThreadBuiltin::Kind::ThreadIdx) {
        refuse(call, fmt::format("'{}' reads '{}' itself, and another thread will call it",
                                 callee->getNameAsString(), builtin.what.name()));
        found->note(unit.location(builtin.range), "here");
        found->withHint("give it the index as an argument");
        return false;
      }
    LegalityFailure inside;
    WorkReader reader(unit, inside);
    reader.seen = seen;
    reader.TraverseStmt(definition->getBody());
    if (inside) {
      refuse(call, fmt::format("'{}' cannot be called by another thread", callee->getNameAsString()));
      found->note(inside->location, inside->text);
    }
    return !found;
  }

  const Unit &unit;
  LegalityFailure &found;
  std::set<const FunctionDecl *> seen;
};

class BranchLegality {
public:
  BranchLegality(const analysis::WorkSite &site, const KernelFacts &facts)
      : site(site), facts(facts), unit(*facts.kernel->unit) {}

  LegalityFailure whyNot() {
    if (site.branch.armsWithWork() > mostKinds)
      return legalityFailure(unit.location(site.branch.statement),
                             "there are {} kinds of work here, and {} at most can be distinguished",
                             site.branch.armsWithWork(), mostKinds);
    if (LegalityFailure binding = structuredBindingIn(*facts.kernel))
      return binding;
    for (const auto check : {&BranchLegality::hiddenCode, &BranchLegality::warpFunction,
                             &BranchLegality::earlyReturn, &BranchLegality::code, &BranchLegality::loopHead,
                             &BranchLegality::exits, &BranchLegality::variables})
      if (LegalityFailure reason = (this->*check)())
        return reason;
    return std::nullopt;
  }

private:
  LegalityFailure hiddenCode() {
    return analysis::failureInHiddenCode(*facts.kernel,
                                         analysis::ChangedThreads::of({ThreadBuiltin::Kind::ThreadIdx}));
  }

  LegalityFailure warpFunction() {
    const Stmt *found = analysis::findWarpFunction(*facts.kernel);
    return found ? std::optional(legalityFailure(unit.location(found),
                                                 "lanes of a warp communicate here, "
                                                 "and they will do the work of other threads"))
                 : std::nullopt;
  }

  /// Items change hands at barriers, to which all threads must come.
  LegalityFailure earlyReturn() {
    for (const Stmt *statement : site.outside)
      if (const Uses uses = Uses::of(statement); !uses.returns.empty()) {
        return legalityFailure(
                   unit.location(uses.returns.front()),
                   "threads that return here would not reach the barriers at which the block sorts its work")
            .withHint("let them find nothing to do instead: put the rest of the kernel under a condition");
      }
    return std::nullopt;
  }

  LegalityFailure code() {
    LegalityFailure found;
    WorkReader reader(unit, found);
    for (const Stmt *statement : site.work)
      reader.TraverseStmt(const_cast<Stmt *>(statement));
    inside = std::move(reader.declared);
    return found;
  }

  /// It is evaluated more often than before, and its step by those alone who had an item.
  LegalityFailure loopHead() {
    if (!site.loop)
      return std::nullopt;
    const Stmt *const parts[] = {site.loop->getCond(), site.loop->getInc()};
    for (const Stmt *part : parts)
      if (LegalityFailure effect = analysis::firstOutwardEffect(unit, part))
        return effect;
    for (const Stmt *part : parts)
      for (const DeclRefExpr *reference : Uses::of(part).locals)
        if (isChanged(reference) && (reference->getDecl() != site.counter || part == site.loop->getCond()))
          return legalityFailure(unit.location(reference),
                                 "the head of a loop over items may change its counter only");
    for (const Stmt *statement : site.work)
      for (const DeclRefExpr *reference : Uses::of(statement).locals)
        if (reference->getDecl() == site.counter && isChanged(reference))
          return legalityFailure(unit.location(reference), "the loop's counter '{}' is changed in its body",
                                 site.counter->getNameAsString());
    return std::nullopt;
  }

  /// What ends a thread's later items, too.
  LegalityFailure exits() {
    if (!site.loop)
      return std::nullopt;
    for (const Stmt *statement : site.work)
      if (const Uses uses = Uses::of(statement); !uses.returns.empty())
        return legalityFailure(unit.location(uses.returns.front()),
                               "'return' ends the later items of the thread, too")
            .withHint("'continue' ends this one alone");
    for (const Stmt *statement : site.work)
      for (const Stmt *jump : analysis::breaksOut(statement))
        return legalityFailure(unit.location(jump),
                               "'break' leaves the loop over items, and later ones depend on it");
    return std::nullopt;
  }

  LegalityFailure variables() {
    for (const Stmt *statement : site.work) {
      const Uses uses = Uses::of(statement);
      if (site.loop)
        for (const Uses::Builtin &builtin : uses.builtins)
          if (builtin.what.kind == ThreadBuiltin::Kind::ThreadIdx)
            return legalityFailure(
                unit.location(builtin.range),
                "'{}' in the loop's body would be that of another thread: only '{}' is passed with an item",
                builtin.what.name(), site.counter->getNameAsString());
      for (const DeclRefExpr *reference : uses.locals)
        if (LegalityFailure reason = variable(reference))
          return reason;
    }
    return std::nullopt;
  }

  LegalityFailure variable(const DeclRefExpr *reference) {
    auto *variable = cast<VarDecl>(reference->getDecl());
    if (inside.contains(variable) || variable == site.counter || variable->isConstexpr())
      return std::nullopt;
    const std::string name = variable->getNameAsString();
    if (isChanged(reference))
      return legalityFailure(unit.location(reference),
                             "'{}' is changed here and declared outside of the work of an item, and after "
                             "specialize a thread also executes work items of others",
                             name)
          .withHint(
              site.loop
                  ? "a value that is carried from item to item fixes their order; add to memory by atomics"
                  : "copy it into a variable of its own first");
    const bool isReference = variable->getType()->isReferenceType();
    const Level level =
        isReference ? facts.uniformity->addressLevel(reference) : facts.uniformity->level(reference);
    if (level <= Level::Block && !variable->getType()->isArrayType())
      return std::nullopt;
    Diagnostic differs = legalityFailure(
        unit.location(reference),
        "'{}' differs by thread and is declared outside of the work of an item, which another thread will do",
        name);
    for (const analysis::Step &step : facts.uniformity->why(reference))
      differs.note(step.location, step.text);
    return differs.withHint(site.loop ? "compute it in the loop, from its counter"
                                      : "compute it after the last barrier");
  }

  bool isChanged(const DeclRefExpr *reference) const {
    return source::isChanged(reference, facts.uniformity->definitions().graph());
  }

  const analysis::WorkSite &site;
  const KernelFacts &facts;
  const Unit &unit;
  std::set<const VarDecl *> inside; ///< declared in the work
};

} // namespace

LegalityFailure whyNotByKind(const analysis::WorkSite &site, const KernelFacts &facts) {
  return BranchLegality(site, facts).whyNot();
}

} // namespace heddle::transform
