// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a grid are independent by CUDA's rules, so any order of them is right, also one after the other
// in one warp. What remains to be looked at is code that leans on more than the rules give: on all blocks
// being there at once, or on what the hardware calls the block.
#include "transform/consolidate/DelegateCheck.h"

#include "analysis/Execution.h"
#include "analysis/GroupCalls.h"
#include "analysis/HiddenCode.h"
#include "analysis/loops/WaitingLoops.h"
#include "analysis/warp/EarlyLanes.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/Unit.h"
#include "transform/consolidate/WarpBlock.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

/// The strictest alignment that parts of dynamic shared memory keep (runtime/heddle/delegate.cuh).
constexpr int64_t mostAlignment = 16;

/// Words of PTX that speak of the hardware's block, or end the thread.
constexpr const char *specialRegisterNames[] = {
    "%ctaid",   "%nctaid", "%smid",          "%nsmid",
    "%warpid",  "%gridid", "%cluster",       "%is_explicit_cluster",
    "%tid.z",   "%ntid",   "%dynamic_smem_", "exit;",
    "barrier.", "bar.sync"};

class DelegateCheck {
public:
  DelegateCheck(Context &context, const Kernel &kernel)
      : context(context), kernel(kernel), unit(*kernel.unit), facts(context.facts(kernel)) {}

  bool run() {
    return checkBlock() && checkKernel() && checkHiddenCode() && checkCode(kernel.function) && checkExits();
  }

private:
  bool checkBlock() {
    const auto &block = facts.launch.block;
    if (!facts.threadsPerBlock())
      return context
          .refuse(kernel.location, "delegate needs blocks of one warp, and the block size is not known")
          .withHint("give it with --block X,Y,Z");
    if (facts.launchesDisagree)
      return context.refuse(kernel.location, "launches of the kernel have blocks of different shapes");
    if (facts.threadsPerBlock() == lanesOfWarp)
      return true;
    return context.refuse(kernel.location, "delegate needs blocks of one warp, and the block is ({}, {}, {})",
                          *block[0], *block[1], *block[2]);
  }

  bool checkKernel() {
    for (const Attr *attribute : kernel.function->attrs())
      if (llvm::StringRef(attribute->getSpelling()).contains("cluster"))
        return context.refuse(unit.location(attribute->getLocation()),
                              "blocks of a cluster must be resident at the same time, and a persistent warp "
                              "executes its blocks one after the other");
    for (const ParmVarDecl *parameter : kernel.function->parameters())
      if (parameter->getName().empty())
        return context.refuse(unit.location(parameter->getBeginLoc()),
                              "a parameter without a name cannot be passed on");
    return mayBeGivenParameter(context, kernel);
  }

  /// Code that no written call leads to cannot get its task, and lanes that synchronize there are not followed.
  bool checkHiddenCode() {
    using Kind = analysis::ThreadBuiltin::Kind;
    const auto isChanged = [](const analysis::ThreadBuiltin &builtin) {
      const bool isOfBlock = builtin.kind == Kind::ThreadIdx || builtin.kind == Kind::BlockDim;
      return builtin.kind == Kind::BlockIdx || builtin.kind == Kind::GridDim ||
             (isOfBlock && builtin.dimension > 1);
    };
    if (!context.allows(analysis::failureInHiddenCode(kernel, {isChanged, /*shared=*/true})))
      return false;
    const analysis::Reach reach = analysis::Reach::of(kernel.function, unit);
    return std::all_of(reach.all().begin(), reach.all().end(), [&](const analysis::Reached &reached) {
      return !reached.isHidden || checkHidden(reached);
    });
  }

  bool checkHidden(const analysis::Reached &reached) {
    const Uses uses = reached.uses();
    auto isWarpSync = [&](const CallExpr *call) {
      const FunctionDecl *callee = analysis::calleeOf(call);
      llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
      return (name.starts_with("__") && name.contains("_sync")) || analysis::barrierAt(call, unit.context());
    };
    if (std::ranges::any_of(uses.calls, isWarpSync)) {
      const Stmt *at = reached.inKernel();
      return context.refuse(at ? unit.location(at) : kernel.location,
                            "lanes of a warp wait for each other in {}, which is not analyzed",
                            reached.hiddenStep().str());
    }
    return reached.isLibrary || checkStatements(uses);
  }

  /// The code of the kernel and of all that it calls.
  bool checkCode(const FunctionDecl *function) {
    if (!visited.insert(function).second)
      return true;
    const TaskUses uses = TaskUses::of(function);
    return checkStatements(uses.uses) && checkShared(uses) && checkCalls(uses.uses);
  }

  bool checkStatements(const Uses &uses) {
    for (const Stmt *statement : uses.statements) {
      if (const Expr *waiting = analysis::asksAnotherBlock(statement))
        return context.refuse(unit.location(waiting),
                              "this loop may wait for another block, which may not have begun: a persistent "
                              "warp executes its blocks one after the other");
      if (isa<CUDAKernelCallExpr>(statement))
        return context.refuse(unit.location(statement), "a launch on the device");
      if (auto *assembly = dyn_cast<GCCAsmStmt>(statement); assembly && !checkAssembly(assembly))
        return false;
      if (!checkLambda(statement))
        return false;
      if (std::optional<analysis::Barrier> barrier = analysis::barrierAt(statement, unit.context()))
        if (!checkBarrier(*barrier))
          return false;
    }
    return true;
  }

  bool checkBarrier(const analysis::Barrier &barrier) {
    using Scope = analysis::Barrier::Scope;
    if (barrier.scope == Scope::Warp && !barrier.ofUnknownGroup)
      return true;
    if (barrier.scope == Scope::Grid || barrier.scope == Scope::Cluster)
      return context.refuse(unit.location(barrier.statement), "blocks wait for each other here");
    return context.refuse(
        unit.location(barrier.statement),
        "'{}' synchronizes more than a warp, and each warp of a persistent block executes another task",
        barrier.spelling);
  }

  bool checkAssembly(const GCCAsmStmt *assembly) {
    const char *word = analysis::firstWordIn(assembly, specialRegisterNames);
    return !word ||
           context.refuse(unit.location(assembly),
                          "inline assembly reads '{}' of the persistent block, not of the task", word);
  }

  /// It sees the variables that represent blockIdx and similar variables only where it captures what it mentions.
  bool checkLambda(const Stmt *statement) {
    const std::vector<analysis::BuiltinBeyondCapture> hidden = analysis::builtinsBeyondCapture(statement);
    return hidden.empty() ||
           context.refuse(unit.location(statement),
                          "{}, so it would read that of the persistent block, not of the task",
                          hidden.front().why);
  }

  bool checkShared(const TaskUses &uses) {
    for (const SharedVariable &shared : uses.shared) {
      const VarDecl *variable = shared.variable;
      const SourceLocation location = unit.location(variable->getLocation());
      const std::string name = variable->getNameAsString();
      const bool isGlobal = variable->getDeclContext()->getRedeclContext()->isTranslationUnit();
      if (!shared.statement && !(shared.isDynamic() && isGlobal))
        return context.refuse(location, "'{}' is shared memory declared outside of functions", name);
      if (variable->getType()->isDependentType())
        continue;
      const int64_t alignment = unit.context().getDeclAlign(variable).getQuantity();
      if (shared.isDynamic() && alignment > mostAlignment)
        return context.refuse(
            location,
            "'{}' is aligned to {} bytes, and the parts of dynamic shared memory that warps get only to {}",
            name, alignment, mostAlignment);
      if (!shared.isDynamic() &&
          unit.context().getTypeSizeInChars(variable->getType()).getQuantity() % alignment != 0)
        return context.refuse(location,
                              "'{}' is aligned to {} bytes and its size is no multiple of that, so those of "
                              "several warps cannot be adjacent",
                              name, alignment);
    }
    return true;
  }

  bool checkCalls(const Uses &uses) {
    for (const CallExpr *call : uses.calls) {
      if (analysis::dependsOnBlock(call))
        return context.refuse(
            unit.location(call),
            "this group would contain all warps of the persistent block, not only the one of the task");
      const FunctionDecl *callee = analysis::calleeOf(call);
      llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
      if (name == "__nanosleep")
        return context.refuse(unit.location(call),
                              "a thread that sleeps may wait for another block, which may not have begun: a "
                              "persistent warp executes its blocks one after the other");
      if (name == "this_grid" || name == "this_cluster" || name == "this_multi_grid")
        return context.refuse(unit.location(call),
                              "blocks of a grid or cluster group must be resident at the same time, and a "
                              "persistent warp executes its blocks one after the other");
    }
    const std::vector<const FunctionDecl *> callees = calledFunctions(unit, uses);
    return std::ranges::all_of(callees, [&](const FunctionDecl *callee) { return checkCode(callee); });
  }

  /// In the original a lane that returns is gone, and barriers no longer wait for it. A warp that stays goes
  /// on to its next block, and comes to a barrier there while others are still at one here.
  bool checkExits() {
    const std::optional<analysis::EarlyLanes> early =
        analysis::earlyLanesOf(*context.facts(kernel).uniformity);
    if (!early)
      return true;
    return context
        .refuse(unit.location(early->exit), "lanes that return here would go on to the next block while "
                                            "others still wait for them in this one")
        .note(unit.location(early->pair), "the lanes synchronize here");
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const KernelFacts &facts;
  std::set<const FunctionDecl *> visited;
};

} // namespace

bool mayDelegate(Context &context, const Kernel &kernel) { return DelegateCheck(context, kernel).run(); }

} // namespace heddle::transform
