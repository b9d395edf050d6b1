// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section III-B of Liang and others, "An Accurate GPU Performance Model for Effective Control Flow Divergence
// Optimization" (TCAD 2016), names what thread-data remapping must not touch: synchronization over the formed
// warps, and dependences among threads. What is left are threads that only ask who they are, and those may be
// anybody.
#include "transform/regroup/RegroupCheck.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/HiddenCode.h"
#include "analysis/PointersApart.h"
#include "analysis/loops/WaitingLoops.h"
#include "analysis/warp/WarpFunctions.h"
#include "source/Unit.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/tasks/KernelHead.h"
#include "transform/tasks/TaskText.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

/// Special registers that say where a thread is.
constexpr const char *locationRegisters[] = {"%tid",    "%ntid",   "%ctaid", "%nctaid", "%warpid",
                                             "%laneid", "%gridid", "%smid",  "%cluster"};

constexpr const char *onlyForLoners = "regroup applies to kernels without shared memory and barriers";

class RegroupCheck {
public:
  RegroupCheck(Context &context, const Kernel &kernel)
      : context(context), kernel(kernel), unit(*kernel.unit), facts(context.facts(kernel)) {}

  bool run() {
    const std::vector<const FunctionDecl *> functions = functionsOf(kernel);
    return checkKernel() && checkHiddenCode() &&
           std::ranges::all_of(functions,
                               [&](const FunctionDecl *function) { return checkCode(function); }) &&
           checkWarp() && checkWaiting() && checkDependences() && checkIndices(functions);
  }

private:
  bool refuse(SourceLocation location, const std::string &why) {
    return context.refuse(std::move(location), why).withHint(onlyForLoners);
  }

  /// It is to get a parameter in front, and its arguments go to another function too.
  bool checkKernel() {
    const CXXRecordDecl *first = kernel.function->getNumParams()
                                     ? kernel.function->getParamDecl(0)->getType()->getAsCXXRecordDecl()
                                     : nullptr;
    if (first && first->getName() == "Regrouped")
      return context.refuse(kernel.location, "the kernel is already regrouped");
    for (const Attr *attribute : kernel.function->attrs())
      if (llvm::StringRef(attribute->getSpelling()).contains("cluster"))
        return context.refuse(unit.location(attribute->getLocation()),
                              "the kernel is launched in clusters, and regroup moves threads between blocks");
    for (const ParmVarDecl *parameter : patternOf(kernel.function)->parameters())
      if (parameter->getName().empty() || parameter->isParameterPack())
        return context.refuse(unit.location(parameter->getBeginLoc()),
                              parameter->isParameterPack()
                                  ? "a parameter pack cannot be passed to the key function"
                                  : "a parameter without a name cannot be passed to the key function");
    return mayBeGivenParameter(context, kernel);
  }

  /// Code that no written call leads to cannot get whose work it does.
  bool checkHiddenCode() {
    using Kind = analysis::ThreadBuiltin::Kind;
    const auto changed = analysis::ChangedThreads::of({Kind::ThreadIdx, Kind::BlockIdx}, /*shared=*/true);
    if (!context.allows(analysis::failureInHiddenCode(kernel, changed)))
      return false;
    const analysis::Reach reach = analysis::Reach::of(kernel.function, unit);
    for (const analysis::Reached &reached : reach.all()) {
      if (reached.isHidden && !reached.isLibrary && !checkUses(reached.uses()))
        return false;
    }
    return true;
  }

  bool checkCode(const FunctionDecl *function) {
    for (const SharedVariable &shared : sharedVariablesOf(function))
      return refuse(unit.location(shared.variable->getLocation()),
                    fmt::format("the kernel uses shared memory ('{}'): regroup moves threads between blocks",
                                shared.variable->getNameAsString()));
    return checkUses(Uses::of(function->getBody()));
  }

  bool checkUses(const Uses &uses) {
    // In the order of the text, so that the same statement is named on every run.
    std::vector<const Stmt *> inOrder(uses.statements.begin(), uses.statements.end());
    std::ranges::sort(inOrder, [](const Stmt *a, const Stmt *b) {
      return a->getBeginLoc().getRawEncoding() < b->getBeginLoc().getRawEncoding();
    });
    return std::ranges::all_of(inOrder, [&](const Stmt *statement) { return checkStatement(statement); });
  }

  bool checkStatement(const Stmt *statement) {
    if (isa<CUDAKernelCallExpr>(statement))
      return refuse(unit.location(statement), "the kernel launches another one");
    if (std::optional<analysis::Barrier> barrier = analysis::barrierAt(statement, unit.context()))
      return refuse(unit.location(barrier->statement),
                    fmt::format("'{}' waits for other threads of the block, and regrouping moves these",
                                barrier->spelling));
    if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
      if (const char *word = analysis::firstWordIn(assembly, locationRegisters))
        return refuse(unit.location(assembly),
                      fmt::format("this assembly reads '{}', the index of the thread that runs, not of the "
                                  "one whose work it does",
                                  word));
    if (const auto hidden = analysis::builtinsBeyondCapture(statement); !hidden.empty())
      return context
          .refuse(unit.location(statement),
                  "{}, so it would read the index of the executing thread, not of the work item",
                  hidden.front().why)
          .withHint("read it into a variable before, and let the lambda capture that");
    return true;
  }

  bool checkWarp() {
    const Stmt *statement = analysis::findWarpFunction(kernel);
    return !statement ||
           refuse(unit.location(statement),
                  "threads of a warp communicate here, and regrouping puts other threads into it");
  }

  bool checkWaiting() {
    const Stmt *loop = analysis::findWaitingLoop(kernel);
    return !loop || refuse(unit.location(loop),
                           "this loop waits for another thread, which may come later in another order");
  }

  /// Threads that touch the same element and do not wait for each other: what they compute hangs on who comes
  /// first.
  bool checkDependences() {
    return checkRaces(context, facts,
                      "two threads access the same element of '{}' and one of them writes: the result "
                      "depends on their order",
                      onlyForLoners);
  }

  bool checkIndices(const std::vector<const FunctionDecl *> &functions) {
    using Kind = analysis::ThreadBuiltin::Kind;
    for (const FunctionDecl *function : functions)
      if (const Uses uses = TaskUses::of(function).uses;
          uses.mentions(Kind::ThreadIdx) || uses.mentions(Kind::BlockIdx))
        return true;
    return context.refuse(kernel.location, "no thread of this kernel reads its index: all do the same");
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const KernelFacts &facts;
};

} // namespace

bool mayRegroup(Context &context, const Kernel &kernel) { return RegroupCheck(context, kernel).run(); }

} // namespace heddle::transform
