// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Section III-B of Liang and others, "An Accurate GPU Performance Model for Effective Control Flow Divergence
// Optimization" (TCAD 2016), names what thread-data remapping must not touch: synchronization over the formed
// warps, and dependences among threads. What is left are threads that only ask who they are, and those may be
// anybody.
#include "transform/regroup/RegroupCheck.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/PointersApart.h"
#include "source/Unit.h"
#include "transform/HiddenCode.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/tasks/KernelHead.h"
#include "transform/tasks/TaskText.h"
#include "transform/tasks/WaitingLoops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <map>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;

namespace {

/// Special registers that say where a thread is.
constexpr const char *placeRegisters[] = {"%tid",    "%ntid",   "%ctaid", "%nctaid", "%warpid",
                                          "%laneid", "%gridid", "%smid",  "%cluster"};

/// Functions that leave something behind which is no array of the kernel's; a name that ends in * stands for
/// all that begin so.
constexpr const char *leavesTraces[] = {"printf",  "vprintf", "malloc",  "free",        "__assertfail",
                                        "surf1D*", "surf2D*", "surf3D*", "surfCubemap*"};

bool leavesTrace(const CallExpr *call) {
  const FunctionDecl *callee = analysis::calleeOf(call);
  const llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
  return std::any_of(std::begin(leavesTraces), std::end(leavesTraces), [&](llvm::StringRef pattern) {
    return pattern.ends_with("*") ? name.starts_with(pattern.drop_back()) : name == pattern;
  });
}

constexpr const char *onlyForLoners = "regroup is for kernels whose threads work by themselves";

class RegroupCheck {
public:
  RegroupCheck(Context &context, const source::Kernel &kernel)
      : context(context), kernel(kernel), unit(*kernel.unit), facts(context.facts(kernel)) {}

  bool run() {
    const std::vector<const FunctionDecl *> functions = functionsOf(kernel);
    return checkKernel() && checkHiddenCode() &&
           std::all_of(functions.begin(), functions.end(),
                       [&](const FunctionDecl *function) { return checkCode(function); }) &&
           checkWarp() && checkWaiting() && checkDependences() && checkIndices(functions);
  }

private:
  Diagnostic &no(Place place, const std::string &why) {
    return context.refuse(std::move(place), why).withHint(onlyForLoners);
  }
  bool refuse(Place place, const std::string &why) {
    no(std::move(place), why);
    return false;
  }

  /// It is to get a parameter in front, and its arguments go to another function too.
  bool checkKernel() {
    const CXXRecordDecl *first = kernel.function->getNumParams()
                                     ? kernel.function->getParamDecl(0)->getType()->getAsCXXRecordDecl()
                                     : nullptr;
    if (first && first->getName() == "Regrouped") {
      context.refuse(kernel.place, "the kernel's threads are regrouped already");
      return false;
    }
    if (kernel.function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization) {
      context.refuse(kernel.place,
                     "an explicit specialization of a kernel cannot be given a parameter alone");
      return false;
    }
    for (const Attr *attribute : kernel.function->attrs())
      if (llvm::StringRef(attribute->getSpelling()).contains("cluster"))
        return refuse(unit.place(attribute->getLocation()), "blocks of a cluster belong together");
    for (const ParmVarDecl *parameter : patternOf(kernel.function)->parameters())
      if (parameter->getName().empty() || parameter->isParameterPack()) {
        context.refuse(unit.place(parameter->getBeginLoc()),
                       parameter->isParameterPack() ? "a pack of parameters cannot be given to keys"
                                                    : "a parameter without a name cannot be given to keys");
        return false;
      }
    for (const auto &other : context.program.kernels())
      if (other->plainName == kernel.plainName &&
          other->function->getLocation() != kernel.function->getLocation()) {
        context.refuse(other->place,
                       fmt::format("there is another kernel called '{}', so that its name alone does "
                                   "not say which one to launch",
                                   kernel.plainName));
        return false;
      }
    return true;
  }

  /// Code that no written call leads to cannot be told whose work it does.
  bool checkHiddenCode() {
    using Kind = analysis::ThreadBuiltin::Kind;
    ChangedThreads changed;
    changed.index = [](const analysis::ThreadBuiltin &builtin) {
      return builtin.kind == Kind::ThreadIdx || builtin.kind == Kind::BlockIdx;
    };
    changed.shared = true;
    if (std::optional<Diagnostic> hidden = obstacleInHiddenCode(kernel, changed)) {
      context.refuse(*hidden);
      return false;
    }
    const analysis::Reach reach = analysis::Reach::of(kernel.function, unit);
    for (const analysis::Reached &reached : reach.all()) {
      if (!reached.isHidden || reached.isLibrary)
        continue;
      Uses uses;
      for (const Stmt *code : reached.code())
        uses.add(code);
      if (!checkUses(uses))
        return false;
    }
    return true;
  }

  bool checkCode(const FunctionDecl *function) {
    for (const SharedVariable &shared : sharedVariablesOf(function))
      return refuse(unit.place(shared.variable->getLocation()),
                    fmt::format("'{}' is shared by the threads of a block, and regrouped ones come from many",
                                shared.variable->getNameAsString()));
    return checkUses(Uses::of(function->getBody()));
  }

  bool checkUses(const Uses &uses) {
    // In the order of the text, so that the same statement is named on every run.
    std::vector<const Stmt *> inOrder(uses.statements.begin(), uses.statements.end());
    std::sort(inOrder.begin(), inOrder.end(), [](const Stmt *a, const Stmt *b) {
      return a->getBeginLoc().getRawEncoding() < b->getBeginLoc().getRawEncoding();
    });
    return std::all_of(inOrder.begin(), inOrder.end(),
                       [&](const Stmt *statement) { return checkStatement(statement); });
  }

  bool checkStatement(const Stmt *statement) {
    if (isa<CUDAKernelCallExpr>(statement))
      return refuse(unit.place(statement), "the kernel launches another one");
    if (std::optional<analysis::Barrier> barrier = analysis::barrierAt(statement, unit.context()))
      return refuse(unit.place(barrier->statement),
                    fmt::format("'{}' waits for the threads beside this one, and regrouped those are others",
                                barrier->spelling));
    if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
      for (const char *word : placeRegisters)
        if (assembly->getAsmString().find(word) != std::string::npos)
          return refuse(
              unit.place(assembly),
              fmt::format("this assembly reads '{}', the place of the thread that runs, not of the one "
                          "whose work it does",
                          word));
    auto *lambda = dyn_cast<LambdaExpr>(statement);
    if (lambda && lambda->getCaptureDefault() == LCD_None && !Uses::of(lambda->getBody()).builtins.empty()) {
      context
          .refuse(unit.place(lambda),
                  fmt::format("this lambda mentions '{}' and captures nothing by default, so it "
                              "would not see whose work is done",
                              Uses::of(lambda->getBody()).builtins.front().what.name()))
          .withHint("let it capture by [=] or [&]");
      return false;
    }
    return true;
  }

  bool checkWarp() {
    const Stmt *statement = findWarpFunction(kernel);
    return !statement ||
           refuse(unit.place(statement), "threads of a warp speak with each other here, and regrouped "
                                         "those are others");
  }

  bool checkWaiting() {
    const Stmt *loop = findWaitingLoop(kernel);
    return !loop ||
           refuse(unit.place(loop),
                  "this loop waits for what another thread does, and in another order that may come later");
  }

  /// Threads that touch the same element and do not wait for each other: what they compute hangs on who comes
  /// first.
  bool checkDependences() {
    std::vector<const analysis::Dependence *> races = facts.dependences().races();
    if (races.empty())
      return true;
    const analysis::Access &source = facts.accesses->all()[races[0]->source];
    const analysis::Access &sink = facts.accesses->all()[races[0]->sink];
    no(sink.place,
       fmt::format("two threads touch the same element of '{}' and one of them writes: the result hangs on "
                   "their order",
                   sink.array->name))
        .note(source.place, fmt::format("the other {} is here", analysis::nameOf(source.kind)));
    return false;
  }

  bool checkIndices(const std::vector<const FunctionDecl *> &functions) {
    using Kind = analysis::ThreadBuiltin::Kind;
    for (const FunctionDecl *function : functions)
      for (const Uses::Builtin &builtin : TaskUses::of(function).uses.builtins)
        if (builtin.what.kind == Kind::ThreadIdx || builtin.what.kind == Kind::BlockIdx)
          return true;
    context.refuse(kernel.place, "no thread of this kernel asks which one it is: all do the same");
    return false;
  }

  Context &context;
  const source::Kernel &kernel;
  const source::Unit &unit;
  const analysis::KernelFacts &facts;
};

} // namespace

bool mayRegroup(Context &context, const source::Kernel &kernel) {
  return RegroupCheck(context, kernel).run();
}

bool mayRunTwice(const analysis::KernelFacts &facts) {
  using Space = analysis::Array::Space;
  if (!facts.accesses->isComplete())
    return false;
  const analysis::Reach reach = analysis::Reach::of(facts.kernel->function, *facts.kernel->unit);
  if (!reach.unknown().empty())
    return false;
  for (const analysis::Reached &reached : reach.all()) {
    Uses uses;
    for (const Stmt *code : reached.code())
      uses.add(code);
    if (std::any_of(uses.calls.begin(), uses.calls.end(), leavesTrace))
      return false;
  }
  std::map<const analysis::Array *, std::array<bool, 2>> readAndWritten;
  bool readsUnknown = false, writes = false;
  for (const analysis::Access &access : facts.accesses->all()) {
    const Space space = access.array->space;
    if (space == Space::Local || space == Space::Constant)
      continue;
    const bool isUnknown = space == Space::Unknown;
    if (access.kind == analysis::Access::Kind::Atomic || (isUnknown && access.isWrite()))
      return false;
    readsUnknown |= isUnknown;
    writes |= access.isWrite();
    readAndWritten[access.array][access.isWrite()] = true;
  }
  if (readsUnknown && writes)
    return false;
  for (const auto &[read, ofRead] : readAndWritten)
    for (const auto &[written, ofWritten] : readAndWritten)
      if (ofRead[0] && ofWritten[1] && (read == written || analysis::reasonToOverlap(*read, *written)))
        return false;
  return true;
}

} // namespace heddle::transform
