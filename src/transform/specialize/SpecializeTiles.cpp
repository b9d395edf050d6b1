// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp specialization of tiled kernels, with the barriers of Bauer, Treichler and Aiken, "Singe: Leveraging
// Warp Specialization for High Performance on GPUs" (PPoPP 2014), section 4.2.
//
//   1. Prepare: functions that hold barriers take the place of their calls, cooperative groups are spelt out.
//   2. Look at the kernel statement by statement (RoleView), find the loops over tiles (TileLoop), and say who
//      carries out what (RoleSplit); look whether loads may run ahead of stores (GlobalOrder).
//   3. Look how each load can be made (CopyForm, BulkForms) and whether the computation can be distributed
//      among several groups (ConsumerGroups); choose what was left open (RoleChoice).
//   4. Rewrite the body (RoleText) and rewrite launches (SpecializeLaunches).
#include "transform/specialize/SpecializeTiles.h"

#include "analysis/Execution.h"
#include "analysis/GroupCalls.h"
#include "analysis/HiddenCode.h"
#include "arch/Common.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/InlineCalls.h"
#include "transform/LaunchEdits.h"
#include "transform/PlainIndices.h"
#include "transform/SeparateNames.h"
#include "transform/StructuredBindings.h"
#include "transform/TriedText.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/specialize/RoleChoice.h"
#include "transform/specialize/RoleText.h"
#include "transform/specialize/SpecializeLaunches.h"
#include "transform/work/LoopHeads.h"
#include "transform/work/SplitDeclarations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

constexpr int64_t lanesInWarp = 32;

/// Whether roles rewrite something in it: the thread's numbers, or an array in shared memory.
bool hasPartsOfRoles(const Uses &uses) {
  using Kind = analysis::ThreadBuiltin::Kind;
  return uses.mentions(Kind::ThreadIdx) || uses.mentions(Kind::BlockDim) ||
         std::ranges::any_of(uses.statements, [](const Stmt *statement) {
           const auto *mention = dyn_cast<DeclRefExpr>(statement);
           return mention && mention->getDecl()->hasAttr<CUDASharedAttr>();
         });
}

/// Two of them have different blocks, both known.
bool haveTwoBlocks(const std::vector<const source::Launch *> &launches) {
  std::set<std::array<int64_t, 3>> blocks;
  for (const source::Launch *launch : launches)
    if (const auto &[x, y, z] = launch->block.xyz; launch->block.isKnown())
      blocks.insert({*x.value, *y.value, *z.value});
  return blocks.size() > 1;
}

std::string threadsText(const std::array<int64_t, 3> &block) {
  return fmt::format("({}, {}, {})", block[0], block[1], block[2]);
}

class TileSpecializer {
public:
  explicit TileSpecializer(Context &context)
      : context(context), kernel(context.target.first()), unit(*kernel.unit), facts(context.facts(kernel)) {}

  bool run() {
    if (!comesBeforeRegroup(context) || !checkBlock() || !checkBarriers() || !checkHiddenCode() ||
        !checkCode())
      return false;
    analysis::LoopStudy study(facts);
    if (LegalityFailure trouble = generalFailure(study))
      return context.refuse(*trouble);
    RoleView view(study, *facts.tree);
    auto split = splitRoles(view);
    if (auto *refused = std::get_if<Diagnostic>(&split))
      return context.refuse(*refused);
    return checkInstances(view, std::get<RoleSplit>(split)) && write(view, std::get<RoleSplit>(split));
  }

private:
  // What must hold before anything is looked at
  // -------------------------------------------------------------------------------------------------------

  const char *whyNoBlock(const KernelFacts &here) const {
    if (here.launchesDisagree)
      return "its launches have different block sizes, and roles need one block size";
    return isLaunched(context) ? "its block size is known only at run time"
                               : "no launch of the kernel is in the file, so its block size is not known";
  }

  /// --block is for launches that do not know theirs: where two know different ones, it does not help.
  const char *hintWithoutBlock(const KernelFacts &here) const {
    if (haveTwoBlocks(here.launches))
      return "give the launches of one block size a kernel of their own";
    return isLaunched(context) ? "give it with --block X,Y,Z; the emitted launch compares it at run time"
                               : "give it with --block X,Y,Z";
  }

  bool checkBlock() {
    for (const Kernel *instance : context.target.instances) {
      const KernelFacts &here = context.facts(*instance);
      const std::optional<std::array<int64_t, 3>> block = here.knownBlock();
      if (!block)
        return context.refuse(instance->location, whyNoBlock(here)).withHint(hintWithoutBlock(here));
      if (instance != &kernel && *block != shape.block)
        return context
            .refuse(instance->location,
                    "instantiations of '{}' are launched with different blocks, {} and {}, and roles need "
                    "one block size",
                    context.target.name, threadsText(shape.block), threadsText(*block))
            .withHint("give the instantiations of one block a kernel of their own");
      shape.block = *block;
    }
    if (shape.groupThreads() % lanesInWarp == 0)
      return true;
    return context
        .refuse(kernel.location,
                "a block of {} threads is not a multiple of 32, and roles are assigned to warps",
                shape.groupThreads())
        .withHint(fmt::format("a block of {} threads would do",
                              (shape.groupThreads() + lanesInWarp - 1) / lanesInWarp * lanesInWarp));
  }

  bool checkBarriers() {
    if (!facts.regions->isStructured())
      return context.refuse(kernel.location, gotoAmongBarriers);
    for (const analysis::Barrier &barrier : facts.regions->barriers()) {
      if (barrier.scope == analysis::Barrier::Scope::Warp)
        continue;
      const SourceLocation location = unit.location(barrier.statement);
      const bool isPlain = barrier.scope == analysis::Barrier::Scope::Block && barrier.ordersBlock() &&
                           !barrier.votes && !barrier.ofUnknownGroup && !isa<AsmStmt>(barrier.statement);
      if (!isPlain)
        return context.refuse(
            location,
            "'{}': the kernel has other synchronization, in which both roles would have to take part",
            barrier.spelling);
      if (const analysis::DivergentControl *divergent = facts.regions->divergence(barrier))
        return context
            .refuse(location, "'{}' may not be reached by all threads of the block", barrier.spelling)
            .note(unit.location(divergent->branch), "because of the condition here");
    }
    for (const analysis::EarlyExit &exit : facts.regions->earlyExits())
      if (exit.level > analysis::Level::Block)
        return context.refuse(exit.location, "individual threads return here, and barriers may follow");
    return checkCalls();
  }

  /// Calls of functions with barriers that could not be opened.
  bool checkCalls() {
    for (const KernelNode *node : facts.tree->nodes())
      for (const analysis::BarrierPoint &point : node->barriers) {
        if (!point.call)
          continue;
        const std::optional<std::string> why = reasonNotToInline(facts, point.call, point.statement);
        return context.refuse(unit.location(point.call),
                              "a function with barriers is called here and cannot be inlined" +
                                  (why ? ": " + *why : ""));
      }
    return true;
  }

  /// Threads of one role are renumbered; code that no written call leads to cannot be changed.
  bool checkHiddenCode() {
    using Kind = analysis::ThreadBuiltin::Kind;
    return context.allows(analysis::failureInHiddenCode(
        kernel, analysis::ChangedThreads::of({Kind::ThreadIdx, Kind::BlockDim})));
  }

  bool checkCode() {
    const Uses uses = Uses::of(kernel.function->getBody());
    if (uses.lambda)
      return context.refuse(unit.location(uses.lambda), "a lambda in the kernel is not analyzed");
    for (const Uses::Builtin &builtin : uses.builtins) {
      using Kind = analysis::ThreadBuiltin::Kind;
      const bool isWhole = builtin.what.dimension > 2;
      if (isWhole && (builtin.what.kind == Kind::ThreadIdx || builtin.what.kind == Kind::BlockDim))
        return context.refuse(unit.location(builtin.range),
                              "all of '{}' is passed on here, which is not analyzed", builtin.what.name());
    }
    for (const Kernel *instance : context.target.instances)
      for (const analysis::DiscardedCode &hidden : analysis::discardedCode(instance->function))
        if (hasPartsOfRoles(hidden.uses))
          return context
              .refuse(unit.location(hidden.branch),
                      "'if constexpr' leaves out code here that another instantiation may take, and that "
                      "roles would change")
              .withHint("write 'if' without constexpr, or a kernel for each case");
    for (const CallExpr *call : uses.calls) {
      const FunctionDecl *callee = analysis::calleeOf(call), *body = nullptr;
      if (callee && callee->hasBody(body) && unit.isUserCode(body->getLocation()) &&
          analysis::asksForThread(unit, body))
        return context
            .refuse(unit.location(call), "'{}' reads the thread's index or the block's size itself",
                    callee->getNameAsString())
            .withHint("pass them to it as arguments");
    }
    return checkGroups();
  }

  /// A block has more threads now, and consumers other numbers.
  bool checkGroups() {
    const analysis::Reach reach = analysis::Reach::of(kernel.function, unit);
    for (const analysis::Reached &reached : reach.all()) {
      const Uses uses = reached.uses();
      for (const CallExpr *call : uses.calls)
        if (analysis::dependsOnBlock(call))
          return context.refuse(
              unit.location(reached.isLibrary && reached.inKernel() ? reached.inKernel() : call),
              "'{}' of a group depends on the number of threads per block, which changes",
              analysis::calleeOf(call)->getNameAsString());
    }
    return true;
  }

  /// One text serves all instantiations of a template: they must be split alike.
  bool checkInstances(const RoleView &view, const RoleSplit &split) {
    const std::string first = sketch(view, split);
    for (const Kernel *instance : context.target.instances) {
      if (instance == &kernel)
        continue;
      analysis::LoopStudy study(context.facts(*instance));
      if (LegalityFailure trouble = generalFailure(study))
        return context.refuse(*trouble);
      RoleView other(study, *context.facts(*instance).tree);
      auto found = splitRoles(other);
      if (auto *refused = std::get_if<Diagnostic>(&found))
        return context.refuse(*refused);
      if (sketch(other, std::get<RoleSplit>(found)) != first)
        return context.refuse(
            legalityFailure(instance->location, fmt::format("'{}' would be split differently from '{}'",
                                                            instance->name, kernel.name))
                .withHint(
                    "give each case a kernel of its own, or apply the directive to a file that launches one "
                    "of them"));
    }
    return true;
  }

  /// Who does what, statement by statement, and how tiles are loaded.
  std::string sketch(const RoleView &view, const RoleSplit &split) const {
    std::string text;
    for (const KernelNode *node : view.nodes())
      text += fmt::format("{}{}{}{}{}{} ", int(node->kind), split.producer.contains(node),
                          split.consumer.contains(node), split.varying.contains(node),
                          split.sunk.contains(node), split.meets.contains(node));
    for (const CopyForm &form : copyForms(view, split, shape.block))
      text += fmt::format("{} {} {}; ", form.whyNotAsync, form.whyNotBulk,
                          form.bulk ? form.bulk->rowElements : 0);
    return text;
  }

  static LegalityFailure generalFailure(const analysis::LoopStudy &study) {
    if (!study.reachingDefinitions())
      return legalityFailure(study.kernel.location, "the kernel's flow of control cannot be followed");
    if (LegalityFailure binding = structuredBindingIn(study.kernel))
      return binding;
    if (!study.accesses().isComplete())
      return legalityFailure(study.accesses().gaps().front().location, study.accesses().gaps().front().text);
    return std::nullopt;
  }

  // The new kernel
  // -------------------------------------------------------------------------------------------------------

  bool write(const RoleView &view, const RoleSplit &split) {
    const std::vector<CopyForm> copies = copyForms(view, split, shape.block);
    RoleQuestion question{view,
                          split,
                          copies,
                          shape.block,
                          tileBytes(split),
                          otherSharedBytes(split),
                          facts.registersPerThread()};
    auto chosen = chooseRoles(context, question);
    if (auto *refused = std::get_if<Diagnostic>(&chosen))
      return context.refuse(*refused);
    const RoleChoice &choice = std::get<RoleChoice>(chosen);
    if (!choice.pays) {
      context.kept(kernel.location, choice.reason).withHint("a setting such as buffers=2 applies it anyway");
      return true;
    }
    shape = choice.shape;
    const bool tilesAreDynamic =
        question.tileBytes * shape.buffers + question.otherBytes > arch::commonLimits().staticSharedBytes;
    if (!checkShared(split, question, tilesAreDynamic))
      return false;
    const ConsumerOrder order = orderOfConsumers(view, split);
    RolePlan plan{view, split, shape, copies, choice.groups, order, question.tileBytes, tilesAreDynamic};
    Names names(unit);
    auto body = specializedBody(plan, names);
    if (auto *refused = std::get_if<Diagnostic>(&body))
      return context.refuse(*refused);
    RoleLaunch launch{shape, hasDynamicTile(split), tilesAreDynamic ? question.tileBytes * shape.buffers : 0};
    unsigned launches = 0;
    if (!specializeLaunches(context, launch, launches))
      return false;
    const std::string indent = source::Rewriter(unit).indentOf(kernel.function->getOuterLocStart());
    context.edits.replace(unit, kernel.function->getBody()->getSourceRange(),
                          std::get<Code>(body).at(indent));
    changeBounds();
    includeHelper(context, "pipeline.cuh");
    Diagnostic &done = report(split, choice, launches);
    if (shape.consumerRegisters)
      checkRegisters(done);
    return true;
  }

  /// What ptxas makes of it: it drops setmaxnreg where it cannot see how many registers there are at first.
  void checkRegisters(Diagnostic &done) {
    const std::string what = fmt::format("registers per thread: {} for producers, {} for consumers",
                                         shape.producerRegisters, shape.consumerRegisters);
    const std::optional<std::string> text = changedText(context.edits);
    const std::optional<analysis::KernelResources> compiled =
        text ? compiledResources(context.program, context.options.compile, *text, kernel.mangledName)
             : std::nullopt;
    if (!compiled)
      done.note(kernel.location, what + "; whether ptxas keeps that could not be looked up");
    else if (compiled->keepsRegisters)
      done.note(kernel.location, what + ", but ptxas drops it");
    else
      done.note(kernel.location, fmt::format("{}; ptxas applied setmaxnreg, {} bytes spilled", what,
                                             compiled->spillStoreBytes + compiled->spillLoadBytes));
  }

  static bool isDynamic(const VarDecl *tile) { return tile->getType()->isIncompleteArrayType(); }
  static bool hasDynamicTile(const RoleSplit &split) { return llvm::any_of(split.tiles, isDynamic); }

  int64_t bytesOf(const VarDecl *variable) const {
    constexpr int64_t unit16 = 16; // bulk copies want each array there
    const int64_t bytes = unit.context().getTypeSizeInChars(variable->getType()).getQuantity();
    return (bytes + unit16 - 1) / unit16 * unit16;
  }
  int64_t tileBytes(const RoleSplit &split) const {
    int64_t bytes = 0;
    for (const VarDecl *tile : split.tiles)
      bytes += isDynamic(tile) ? 0 : bytesOf(tile);
    return bytes;
  }
  int64_t otherSharedBytes(const RoleSplit &split) const {
    int64_t tiles = 0;
    for (const VarDecl *tile : split.tiles)
      if (!isDynamic(tile))
        tiles += unit.context().getTypeSizeInChars(tile->getType()).getQuantity();
    constexpr int64_t barriers = 256; // room for those of the ring
    return std::max<int64_t>(facts.staticSharedBytes - tiles, 0) + barriers;
  }

  bool checkShared(const RoleSplit &split, const RoleQuestion &question, bool tilesAreDynamic) {
    const int64_t all = question.tileBytes * shape.buffers + question.otherBytes;
    const arch::Arch &arch = context.options.arch ? *context.options.arch : arch::defaultArch();
    const int64_t most = arch.maxSharedBytesPerBlockOptIn;
    std::string why;
    if (all > most)
      why = fmt::format("{} stages of {} bytes are more shared memory than a block can have ({})",
                        shape.buffers, question.tileBytes, most);
    else if (tilesAreDynamic && (hasDynamicTile(split) || facts.dynamicSharedBytes != 0))
      why = "the stages need dynamic shared memory, and the kernel has some of its own";
    else if (tilesAreDynamic && kernel.isInstantiation)
      why = "the stages need dynamic shared memory, whose size may differ between the "
            "instantiations of a template";
    return why.empty() || context.refuse(kernel.location, why).withHint("fewer buffers");
  }

  /// More threads than before; and by default compilers save registers for the largest block.
  void changeBounds() {
    auto *bounds = kernel.function->getAttr<CUDALaunchBoundsAttr>();
    // How many registers a thread has at first must follow from the launch, for them to move.
    const std::string threads = std::to_string(shape.threads()) + (shape.consumerRegisters ? ", 1" : "");
    if (bounds) {
      const Expr *last = bounds->getMinBlocks() && shape.consumerRegisters ? bounds->getMinBlocks()
                                                                           : bounds->getMaxThreads();
      context.edits.replace(unit, SourceRange(bounds->getMaxThreads()->getBeginLoc(), last->getEndLoc()),
                            threads);
    } else
      context.edits.insertBefore(unit, kernel.function->getLocation(), "__launch_bounds__(" + threads + ") ");
  }

  Diagnostic &report(const RoleSplit &split, const RoleChoice &choice, unsigned launches) {
    std::string text = fmt::format(
        "warps of '{}' take roles: {} {} and {} compute, {} between them, copied by {}, {}{}",
        context.target.name, counted(shape.producers, "warp", "warps"),
        shape.producers == 1 ? "loads" : "load",
        shape.consumers == 1 ? fmt::format("{} threads", shape.groupThreads())
                             : fmt::format("{} groups of {} threads", shape.consumers, shape.groupThreads()),
        counted(shape.buffers, "buffer", "buffers"), nameOf(shape.copy), nameOf(shape.barrier),
        launchesText(launches, fmt::format("with {} threads", shape.threads())));
    Diagnostic &done = context.done(choice.reason.empty() ? text : text + ": " + choice.reason);
    for (const KernelNode *node : split.partial)
      context.assumed(unit.location(node->statement),
                      "elements of a tile that are not loaded here in an iteration are not read in it");
    done.notes.insert(done.notes.end(), choice.notes.begin(), choice.notes.end());
    return done;
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const KernelFacts &facts;
  RoleShape shape;
};

} // namespace

PassResult specializeTiles(Context &context) {
  if (std::optional<Needs> needed = firstNeeded(
          context, context.target.first(),
          {separateNames, writePlainIndices, inlineCallsWithBarriers, splitDeclarations, splitLoopHeads}))
    return *needed;
  return context.editedIf(TileSpecializer(context).run());
}

} // namespace heddle::transform
