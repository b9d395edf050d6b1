// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp delegation, after Li and others, "Warp-Consolidation: A Novel Execution Model for GPUs" (ICS 2018).
//
//   1. Choose (DelegateChoice): is it worth it, and how many warps make up a block?
//   2. Check (DelegateCheck): may one warp do block after block?
//   3. Write. The kernel's definition becomes a device function, the task, with its text as it was
//      (TaskText): variables called blockIdx and gridDim replace the built-in ones, and shared memory goes by
//      the warp. Functions that it calls get the task (TaskFunctions). After it follows the kernel, a
//      loop over tasks. Launches go through runtime/heddle/delegate.cuh (DelegateLaunches).
//
// Why a function and not the body in a loop: `return` keeps its meaning, and what a task declares begins and
// ends with it. Why the built-in variables are hidden by others of their name, and not replaced: the code
// stays as its author wrote it, macros and all.
//
// Why a barrier after each task: a lane that is done early would write shared memory of the next task while
// others still read it for this one; and the lanes go on together.
#include "transform/consolidate/Delegate.h"

#include "source/Mentions.h"
#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/DirectiveMessage.h"
#include "transform/FunctionCopies.h"
#include "transform/LaunchEdits.h"
#include "transform/PlainIndices.h"
#include "transform/consolidate/DelegateCheck.h"
#include "transform/consolidate/DelegateChoice.h"
#include "transform/consolidate/WarpBlock.h"
#include "transform/tasks/DelegateLaunches.h"
#include "transform/tasks/KernelHead.h"
#include "transform/tasks/TaskFunctions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Tooling/Syntax/Tokens.h>

using namespace clang;

namespace heddle::transform {
namespace {

/// Writes the task and the kernel after it.
class KernelDelegator {
public:
  KernelDelegator(Context &context, const TaskShape &wanted)
      : context(context), kernel(context.target.first()), unit(*kernel.unit), shape(wanted), names(unit) {
    shape.task = nameFreeIn(kernel, "task");
    tasks = nameFreeIn(kernel, "tasks");
    taskName = names.fresh(kernel.function->getNameAsString() + "Task");
  }

  bool write() {
    std::optional<std::vector<Replacement>> calls = changeTaskFunctions(context, shape, names);
    std::optional<Code> loop = calls ? kernelText() : std::nullopt;
    if (!loop || !makeTask())
      return false;
    replaceParts(context, unit, *calls);
    source::Rewriter(unit).insertBehind(context.edits, kernel.function->getBody()->getEndLoc(),
                                        Code::blankLine().add(*loop), kernel.function->getOuterLocStart());
    giveDeclarations(context, shape.tasksType());
    return true;
  }

private:
  // The task
  // -------------------------------------------------------------------------------------------------------

  bool makeTask() {
    const FunctionDecl *function = kernel.function;
    auto *global = function->getAttr<CUDAGlobalAttr>();
    std::optional<SourceRange> word = global ? wholeAttribute(global) : std::nullopt;
    if (!word)
      return context.refuse(kernel.location, "the kernel's '__global__' is not understood");
    context.edits.replace(unit, *word, "__device__ __forceinline__");
    if (auto *bounds = function->getAttr<CUDALaunchBoundsAttr>())
      if (std::optional<SourceRange> part = wholeAttribute(bounds))
        context.edits.replace(unit, *part, "");
    const SourceRange name(function->getLocation(), function->getLocation());
    context.edits.replace(unit, name, taskName);
    if (auto part = inFrontOfParameters(kernel, "__device__ __forceinline__ Task", shape.parameter()))
      replaceParts(context, unit, {*part});
    replaceParts(context, unit,
                 taskEditsIn(unit, function, TaskUses::ofAll(context.target.instances), shape));
    return true;
  }

  /// `__attribute__((name(...)))`, which CUDA's words represent, from its first token to its last.
  std::optional<SourceRange> wholeAttribute(const Attr *attribute) const {
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    const size_t name = source::tokensOf(unit, SourceRange(attribute->getLocation())).begin;
    if (name < 3 || all[name - 3].kind() != tok::kw___attribute)
      return std::nullopt;
    size_t end = name - 2;
    for (int depth = 0; end < all.size(); ++end) {
      depth += all[end].kind() == tok::l_paren;
      depth -= all[end].kind() == tok::r_paren;
      if (depth == 0)
        return SourceRange(all[name - 3].location(), all[end].location());
    }
    return std::nullopt;
  }

  // The kernel
  // -------------------------------------------------------------------------------------------------------

  /// The kernel's head as it was, with the tasks as its first parameter, and the loop over them.
  std::optional<Code> kernelText() {
    llvm::ArrayRef<syntax::Token> all = unit.tokens().expandedTokens();
    const SourceRange whole = source::wholeDefinition(unit, kernel.function);
    const size_t brace = source::tokensOf(unit, kernel.function->getBody()->getSourceRange()).begin;
    std::vector<Replacement> parts = launchBounds();
    if (auto part = inFrontOfParameters(kernel, "__launch_bounds__(128) ", shape.tasksType() + " " + tasks))
      parts.push_back(*part);
    source::Rewriter text(unit);
    const Code head = text.code(SourceRange(whole.getBegin(), all[brace - 1].location()), parts);
    if (text.failure)
      return context.refuse(*text.failure);
    const Code task = Code(fmt::format("{}{}({}{});", taskName, templateArgumentsOf(kernel.function),
                                       shape.task, arguments()))
                          .add("__syncwarp(); // shared memory is free for the next one");
    return Code::braces(
        head, Code::braces(fmt::format("for (const heddle::Task {} : {})", shape.task, tasks), task));
  }

  /// A block has more threads now; and by default compilers save registers for the largest block
  /// there is.
  std::vector<Replacement> launchBounds() {
    const unsigned threads = lanesOfWarp * shape.warps;
    auto *bounds = kernel.function->getAttr<CUDALaunchBoundsAttr>();
    const clang::SourceLocation name = kernel.function->getLocation();
    if (!bounds)
      return {{SourceRange(name, name),
               fmt::format("__launch_bounds__({}) {}", threads, kernel.function->getNameAsString())}};
    std::vector<Replacement> parts = {{bounds->getMaxThreads()->getSourceRange(), std::to_string(threads)}};
    if (const Expr *blocks = bounds->getMinBlocks())
      if (const std::string text = source::Rewriter(unit).text(blocks); !text.empty())
        parts.push_back(
            {blocks->getSourceRange(), fmt::format("({} + {}) / {}", text, shape.warps - 1, shape.warps)});
    return parts;
  }

  std::string arguments() const {
    std::string list;
    for (const ParmVarDecl *parameter : patternOf(kernel.function)->parameters())
      list += ", " + parameter->getNameAsString() + (parameter->isParameterPack() ? "..." : "");
    return list;
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  TaskShape shape;
  Names names;
  std::string tasks, taskName;
};

void reportDelegation(Context &context, const TaskShape &shape, unsigned launches, const std::string &why) {
  std::string text = fmt::format("'{}' became a persistent kernel: each warp does the work of one original "
                                 "block after the other{}, {} warps per block",
                                 context.target.name, shape.isDynamic ? ", by a counter" : "", shape.warps);
  if (shape.throttle)
    text += fmt::format(", at most {} warps per multiprocessor", shape.throttle);
  text += launchesText(launches, "with heddle::delegate");
  // The reason counts the warps of an unlimited multiprocessor.
  context.done(why.empty() || shape.throttle ? text : text + ": " + why);
}

bool delegateAlways(Context &context, const std::string &why) {
  for (const Kernel *kernel : context.target.instances)
    if (!mayDelegate(context, *kernel))
      return false;
  TaskShape shape;
  shape.throttle = unsigned(context.directive.number("throttle"));
  shape.warps = warpsOfBlock(context, shape.throttle);
  shape.depth = unsigned(*context.facts(context.target.first()).launch.block[2]);
  shape.isDynamic = context.directive.word("tasks") == "dynamic";
  unsigned launches = 0;
  if (!delegateLaunches(context, launches) || !KernelDelegator(context, shape).write())
    return false;
  includeHelper(context, "delegate.cuh");
  reportDelegation(context, shape, launches, why);
  return true;
}

} // namespace

static void warnOfUnusedSettings(Context &context) {
  std::vector<std::string> unused;
  if (context.directive.word("tasks") == "dynamic")
    unused.push_back("tasks=dynamic");
  if (int64_t throttle = context.directive.number("throttle"))
    unused.push_back(fmt::format("throttle={}", throttle));
  if (!unused.empty())
    context.diagnostics.warning(
        context.target.first().location,
        messageOf(context.directive, fmt::format("{} {} no effect: stage delegate is not applied",
                                                 joinAnd(unused), unused.size() == 1 ? "has" : "have")));
}

PassResult delegateBlocks(Context &context) {
  const std::string wanted = context.directive.word("delegate");
  const Kernel &kernel = context.target.first();
  if (wanted == "off") {
    warnOfUnusedSettings(context);
    return Unchanged();
  }
  const DelegateChoice choice = wanted == "auto" ? chooseDelegation(context) : DelegateChoice{true, {}};
  if (!choice.isWorthIt) {
    context.notApplied("delegate", kernel.location, choice.reason);
    warnOfUnusedSettings(context);
    return Unchanged();
  }
  if (std::optional<Needs> needed = writePlainIndices(context, kernel))
    return *needed;
  if (wanted == "on")
    return context.editedIf(delegateAlways(context, {}));
  // What may not be done is no reason to fail where it was not requested.
  Diagnostics messages;
  Context trial(context.program, context.target, context.directive, context.options, messages);
  if (delegateAlways(trial, choice.reason)) {
    addMessages(messages, context.diagnostics);
    return trial.edited();
  }
  const Diagnostic &refusal = messages.all().back();
  context.notApplied("delegate", refusal.location, withoutDirective(context.directive, refusal.text));
  warnOfUnusedSettings(context);
  return Unchanged();
}

} // namespace heddle::transform
