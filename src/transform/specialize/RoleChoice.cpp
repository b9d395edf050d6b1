// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of `specialize` that the user left open, in the order in which they depend on each other:
//
// 1. Copy: bulk where the target has it, all loads have that form and rows are long enough; else cp.async; else ld.
// 2. Barrier: mbarriers where the target has them; bulk copies need them. Named barriers limit the number of buffers.
// 3. Warps: buffers by the size of a tile, producers by the work of an iteration (model/Profitability.h). Loads that cannot be
//    distributed take one producer thread per consumer thread.
// 4. Consumer groups: only where asked for, and where iterations of the computation are independent (ConsumerGroups).
// 5. Registers: moved from producers to consumers (setmaxnreg) where the target allows it and roles are whole warp groups.
//
// With no settings at all the model is asked whether the result pays, by shared memory, occupancy and the ratio of loads to
// computation. What was asked for and cannot be had is refused, with the setting that would do as a hint.
#include "transform/specialize/RoleChoice.h"

#include "arch/Common.h"
#include "model/Profitability.h"
#include "source/Unit.h"
#include "transform/specialize/RoleWork.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

namespace heddle::transform {

const char *nameOf(RoleShape::Copy copy) {
  switch (copy) {
  case RoleShape::Copy::Ld: return "ld";
  case RoleShape::Copy::CpAsync: return "cpasync";
  case RoleShape::Copy::Bulk: return "bulk";
  }
  return "";
}

const char *nameOf(RoleShape::Barrier barrier) {
  return barrier == RoleShape::Barrier::Named ? "named barriers" : "mbarriers";
}

namespace {

/// Those of the block and of the consumers (runtime/heddle/pipeline.cuh).
constexpr unsigned takenBarriers = 2;
/// setmaxnreg is for whole warp groups (PTX ISA).
constexpr unsigned warpGroup = 4;

using Copy = RoleShape::Copy;
using RoleBarrier = RoleShape::Barrier;

using arch::Feature;

model::TileWork workOf(const RoleQuestion &question) {
  const IterationWork work = workPerIteration(question.view, question.split, question.copies, question.block);
  return {work.loads, work.steps, work.reads};
}

class RoleChooser {
public:
  RoleChooser(Context &context, const RoleQuestion &question)
      : directive(context.directive), question(question), target(context.options.compile.arch),
        arch(context.options.arch ? *context.options.arch : arch::defaultArch()), work(workOf(question)) {
    choice.shape.block = question.block;
  }

  std::variant<RoleChoice, Diagnostic> choose() {
    if (!chooseCopy() || !chooseBarrier() || !chooseWarps() || !chooseGroups() || !chooseRegisters())
      return *trouble;
    if (directive.settings.empty())
      decide();
    return choice;
  }

private:
  bool refuse(SourceLocation location, const std::string &why, const std::string &hint = {}) {
    trouble = legalityFailure(std::move(location), why);
    trouble->hint = hint;
    return false;
  }
  const SourceLocation &kernelLocation() const { return question.view.study.kernel.location; }

  // How tiles are copied
  // -------------------------------------------------------------------------------------------------------

  bool chooseCopy() {
    const std::string wanted = directive.word("copy");
    const CopyForm *notAsync = nullptr, *notBulk = nullptr;
    bool someAsync = false;
    for (const CopyForm &form : question.copies) {
      someAsync |= form.whyNotAsync.empty();
      if (!form.whyNotAsync.empty() && !notAsync)
        notAsync = &form;
      if (!form.bulk && !notBulk)
        notBulk = &form;
    }
    if (wanted == "cpasync" && !arch.has(Feature::CpAsync))
      return refuse(kernelLocation(), "cp.async needs sm_80 or later", "copy=ld");
    if (wanted == "bulk" && !arch.has(Feature::BulkCopy))
      return refuse(kernelLocation(), "bulk copies need sm_90 or later",
                    arch.has(Feature::CpAsync) ? "copy=cpasync" : "copy=ld");
    if (wanted == "cpasync" && !someAsync)
      return refuse(question.view.location(*notAsync->node),
                    "cp.async cannot make this load: " + notAsync->whyNotAsync, "copy=ld");
    if (wanted == "bulk" && notBulk)
      return refuse(question.view.location(*notBulk->node),
                    "bulk copies cannot make this load: " + notBulk->whyNotBulk,
                    someAsync ? "copy=cpasync" : "copy=ld");
    Copy &copy = choice.shape.copy;
    if (wanted == "ld")
      copy = Copy::Ld;
    else if (wanted == "bulk")
      copy = Copy::Bulk;
    else if (wanted == "cpasync")
      copy = Copy::CpAsync;
    else if (arch.has(Feature::BulkCopy) && !notBulk && hasLongRows())
      copy = Copy::Bulk;
    else
      copy = arch.has(Feature::CpAsync) && someAsync ? Copy::CpAsync : Copy::Ld;
    if (copy == Copy::CpAsync && notAsync)
      choice.notes.push_back({question.view.location(*notAsync->node),
                              "this load goes through a register: " + notAsync->whyNotAsync});
    return true;
  }

  bool hasLongRows() const {
    const auto &context = question.view.study.unit.context();
    return std::ranges::all_of(question.copies, [&](const CopyForm &form) {
      return model::suitsBulkCopy(form.bulk->rowElements *
                                  context.getTypeSizeInChars(form.target->getType()).getQuantity());
    });
  }

  bool chooseBarrier() {
    const std::string wanted = directive.word("barrier");
    RoleBarrier &barrier = choice.shape.barrier;
    barrier = wanted == "named" || (wanted == "auto" && !arch.has(Feature::Mbarrier)) ? RoleBarrier::Named
                                                                                      : RoleBarrier::Mbarrier;
    if (barrier == RoleBarrier::Mbarrier && !arch.has(Feature::Mbarrier))
      return refuse(kernelLocation(), "mbarriers need sm_80 or later", "barrier=named");
    if (barrier == RoleBarrier::Named && choice.shape.copy == Copy::Bulk)
      return refuse(kernelLocation(), "bulk copies signal mbarriers", "barrier=mbarrier");
    return true;
  }

  // How many warps and buffers
  // -------------------------------------------------------------------------------------------------------

  bool chooseWarps() {
    RoleShape &shape = choice.shape;
    shape.consumers = unsigned(std::max<int64_t>(directive.number("consumers"), 1));
    shape.buffers = unsigned(directive.number("buffers"));
    if (shape.buffers == 0)
      shape.buffers = model::buffersFor(question.tileBytes, shape.copy == Copy::Bulk);
    if (shape.barrier == RoleBarrier::Named &&
        takenBarriers + 2 * shape.buffers > arch.namedBarriersPerBlock && !leaveNamed())
      return false;
    const bool isAsked = directive.number("producers") != 0;
    shape.producers = isAsked ? unsigned(directive.number("producers")) : producersByDefault();
    if (const std::optional<Diagnostic> &why = question.split.onlyOneToOne; why && !shape.isOneToOne()) {
      if (isAsked) {
        trouble = *why;
        trouble->hint = fmt::format("producers={}", groupWarps());
        return false;
      }
      shape.producers = unsigned(groupWarps());
    }
    if (shape.threads() <= arch.maxThreadsPerBlock)
      return true;
    return refuse(
        kernelLocation(),
        fmt::format("{} threads that compute and {} that load are more than the {} a block can have",
                    shape.groupThreads() * shape.consumers, shape.producerThreads(), arch.maxThreadsPerBlock),
        "coarsen it first");
  }

  int64_t groupWarps() const { return choice.shape.groupThreads() / arch.warpSize; }

  /// The hardware has few: what does not fit lies in shared memory.
  bool leaveNamed() {
    const std::string why =
        fmt::format("{} buffers need {} named barriers, and a block has {}", choice.shape.buffers,
                    2 * choice.shape.buffers + takenBarriers, arch.namedBarriersPerBlock);
    if (!arch.has(Feature::Mbarrier))
      return refuse(kernelLocation(), why,
                    fmt::format("buffers={}", (arch.namedBarriersPerBlock - takenBarriers) / 2));
    choice.shape.barrier = RoleBarrier::Mbarrier;
    choice.notes.push_back({kernelLocation(), why + ": mbarriers are used"});
    return true;
  }

  unsigned producersByDefault() const {
    const bool hasLittleToDo = choice.shape.copy == Copy::CpAsync && !model::needsSeveralProducers(work);
    if (choice.shape.copy == Copy::Bulk || hasLittleToDo)
      return 1;
    return unsigned(std::clamp<int64_t>(groupWarps(), 1, model::mostProducerWarps()));
  }

  // Registers
  // -------------------------------------------------------------------------------------------------------

  /// Producers need few; what they give back consumers can have. All four warps of a warp group must do the
  /// same, and how many a thread has at first must be known: one block to a multiprocessor.
  bool chooseRegisters() {
    const std::string wanted = directive.word("registers");
    const RoleShape &shape = choice.shape;
    const std::optional<NoMove> noMove = whyNotMove();
    if (wanted == "move" && noMove)
      return refuse(kernelLocation(), "registers cannot move from producers to consumers: " + noMove->why,
                    noMove->hint);
    const bool isShort = int64_t(question.registers) > model::registersAtFirst(shape.threads(), arch);
    if (wanted == "keep" || noMove || (wanted == "auto" && !isShort))
      return true;
    const model::RegisterSplit split =
        model::splitRegisters(shape.producerThreads(), shape.groupThreads() * shape.consumers, arch);
    choice.shape.producerRegisters = split.producers;
    choice.shape.consumerRegisters = split.consumers;
    return true;
  }

  struct NoMove {
    std::string why, hint;
  };
  std::optional<NoMove> whyNotMove() const {
    if (!arch.has(Feature::SetMaxNReg))
      return NoMove{"setmaxnreg needs sm_90 or later", "registers=keep"};
    if (!target.ends_with("a") && !target.ends_with("f"))
      return NoMove{
          fmt::format("setmaxnreg needs an architecture-specific target such as {0}a, not {0}", target),
          fmt::format("--arch {}a", target)};
    const std::string why = "each role must have a multiple of four warps (setmaxnreg applies to warpgroups)";
    const int64_t ofWarpGroup = int64_t(warpGroup) * arch.warpSize, threads = choice.shape.groupThreads();
    if (groupWarps() * choice.shape.consumers % warpGroup)
      return NoMove{why, fmt::format("a block of {} threads would do",
                                     (threads + ofWarpGroup - 1) / ofWarpGroup * ofWarpGroup)};
    if (choice.shape.producers % warpGroup)
      return NoMove{why, fmt::format("producers={}", warpGroup)};
    return std::nullopt;
  }

  // Whether it pays. docs/specialize-gpu.md shows what was measured.
  // -------------------------------------------------------------------------------------------------------

  void decide() {
    const model::Roles answer = model::rolesPay(work, choice.shape.copy == Copy::Bulk);
    choice.pays = answer == model::Roles::Pay;
    choice.reason = reasonFor(answer);
  }

  std::string reasonFor(model::Roles answer) const {
    switch (answer) {
    case model::Roles::FewLoads:
      return "not profitable: a thread loads one element per iteration; other resident blocks already hide "
             "its latency";
    case model::Roles::UnknownReuse: return "not profitable: the work per tile could not be estimated";
    case model::Roles::ComputeBound:
      return fmt::format(
          "not profitable: compute-bound (each loaded element is read {:.0f} times): producer warps would "
          "reduce throughput",
          work.reuse());
    case model::Roles::LongLoads:
      return "not profitable: the load has more instructions than the computation, and fewer warps would "
             "execute it";
    case model::Roles::Pay: break;
    }
    return fmt::format("a thread loads {:.1f} elements per iteration and reads each {:.1f} times", work.loads,
                       work.reuse());
  }

  bool chooseGroups() {
    if (choice.shape.consumers == 1)
      return true;
    auto groups = splitAmongGroups(question.view, question.split);
    if (auto *refused = std::get_if<Diagnostic>(&groups)) {
      trouble = *refused;
      return false;
    }
    choice.groups = std::get<GroupSplit>(groups);
    return true;
  }

  const Directive &directive;
  const RoleQuestion &question;
  const std::string target; ///< what is compiled for: "sm_90a"
  const arch::Arch &arch;
  const model::TileWork work;
  RoleChoice choice;
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<RoleChoice, Diagnostic> chooseRoles(Context &context, const RoleQuestion &question) {
  return RoleChooser(context, question).choose();
}

} // namespace heddle::transform
