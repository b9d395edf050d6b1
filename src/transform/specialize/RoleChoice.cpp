// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/RoleChoice.h"

#include "arch/Common.h"
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

constexpr unsigned namedBarriers = 16, takenBarriers = 2; // those of the block and of the consumers
// setmaxnreg takes multiples of 8.
constexpr int64_t registerStep = 8, mostRegisters = 240, producersNeed = 40;
constexpr unsigned warpGroup = 4;
constexpr int64_t longRow = 1024;         // bytes
constexpr int64_t smallStage = 12 * 1024; // three of these leave room for several blocks
constexpr double fewLoads = 2, manyLoads = 4, someReuse = 8, muchReuse = 40;

using Copy = RoleShape::Copy;
using Barrier = RoleShape::Barrier;

class Chooser {
public:
  Chooser(Context &context, const RoleQuestion &question)
      : directive(context.directive), question(question), target(context.options.compile.arch),
        arch(context.options.arch ? *context.options.arch : arch::defaultArch()),
        level(arch.major * 10 + arch.minor),
        work(workOfTurn(question.view, question.split, question.copies, question.block)) {
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
  bool refuse(Place place, const std::string &why, const std::string &hint = {}) {
    trouble = obstacle(std::move(place), why);
    trouble->hint = hint;
    return false;
  }
  const Place &kernelPlace() const { return question.view.study.kernel.place; }

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
    if (wanted == "cpasync" && level < 80)
      return refuse(kernelPlace(), "cp.async needs sm_80 or later", "copy=ld");
    if (wanted == "bulk" && level < 90)
      return refuse(kernelPlace(), "bulk copies need sm_90 or later",
                    level < 80 ? "copy=ld" : "copy=cpasync");
    if (wanted == "cpasync" && !someAsync)
      return refuse(question.view.place(*notAsync->node),
                    "cp.async cannot make this load: " + notAsync->whyNotAsync, "copy=ld");
    if (wanted == "bulk" && notBulk)
      return refuse(question.view.place(*notBulk->node),
                    "bulk copies cannot make this load: " + notBulk->whyNotBulk,
                    someAsync ? "copy=cpasync" : "copy=ld");
    Copy &copy = choice.shape.copy;
    if (wanted == "ld")
      copy = Copy::Ld;
    else if (wanted == "bulk")
      copy = Copy::Bulk;
    else if (wanted == "cpasync")
      copy = Copy::CpAsync;
    else if (level >= 90 && !notBulk && hasLongRows())
      copy = Copy::Bulk;
    else
      copy = level >= 80 && someAsync ? Copy::CpAsync : Copy::Ld;
    if (copy == Copy::CpAsync && notAsync)
      choice.notes.push_back({question.view.place(*notAsync->node),
                              "this load goes through a register: " + notAsync->whyNotAsync});
    return true;
  }

  /// A bulk copy has to be worth its lane's time: with rows of 256 bytes it was slower than cp.async.
  bool hasLongRows() const {
    const auto &context = question.view.study.unit.context();
    return std::ranges::all_of(question.copies, [&](const CopyForm &form) {
      return form.bulk->rowElements * context.getTypeSizeInChars(form.target->getType()).getQuantity() >=
             longRow;
    });
  }

  bool chooseBarrier() {
    const std::string wanted = directive.word("barrier");
    Barrier &barrier = choice.shape.barrier;
    barrier = wanted == "named" || (wanted == "auto" && level < 80) ? Barrier::Named : Barrier::Mbarrier;
    if (barrier == Barrier::Mbarrier && level < 80)
      return refuse(kernelPlace(), "mbarriers need sm_80 or later", "barrier=named");
    if (barrier == Barrier::Named && choice.shape.copy == Copy::Bulk)
      return refuse(kernelPlace(), "bulk copies report to mbarriers", "barrier=mbarrier");
    return true;
  }

  // How many warps and buffers
  // -------------------------------------------------------------------------------------------------------

  bool chooseWarps() {
    RoleShape &shape = choice.shape;
    shape.consumers = unsigned(std::max<int64_t>(directive.number("consumers"), 1));
    shape.buffers = unsigned(directive.number("buffers"));
    if (shape.buffers == 0)
      shape.buffers = shape.copy == Copy::Bulk && question.tileBytes <= smallStage ? 3 : 2;
    if (shape.barrier == Barrier::Named && takenBarriers + 2 * shape.buffers > namedBarriers && !leaveNamed())
      return false;
    const bool isAsked = directive.number("producers") != 0;
    shape.producers = isAsked ? unsigned(directive.number("producers")) : producersByDefault();
    if (const std::optional<Diagnostic> &why = question.split.onlyOneToOne; why && !shape.isOneToOne()) {
      if (isAsked) {
        trouble = *why;
        trouble->hint = fmt::format("producers={}", shape.groupThreads() / 32);
        return false;
      }
      shape.producers = unsigned(shape.groupThreads() / 32);
    }
    if (shape.threads() <= arch.maxThreadsPerBlock)
      return true;
    return refuse(
        kernelPlace(),
        fmt::format("{} threads that compute and {} that load are more than the {} a block can have",
                    shape.groupThreads() * shape.consumers, shape.producerThreads(), arch.maxThreadsPerBlock),
        "coarsen it first");
  }

  /// The hardware has 16: what does not fit lies in shared memory.
  bool leaveNamed() {
    const std::string why =
        fmt::format("{} buffers need {} named barriers, and a block has {}", choice.shape.buffers,
                    2 * choice.shape.buffers + takenBarriers, namedBarriers);
    if (level < 80)
      return refuse(kernelPlace(), why, fmt::format("buffers={}", (namedBarriers - takenBarriers) / 2));
    choice.shape.barrier = Barrier::Mbarrier;
    choice.notes.push_back({kernelPlace(), why + ": they are mbarriers"});
    return true;
  }

  unsigned producersByDefault() const {
    const bool hasLittleToDo = choice.shape.copy == Copy::CpAsync && work.loads < manyLoads;
    if (choice.shape.copy == Copy::Bulk || hasLittleToDo)
      return 1;
    return unsigned(std::clamp<int64_t>(choice.shape.groupThreads() / 32, 1, 4));
  }

  // Registers
  // -------------------------------------------------------------------------------------------------------

  /// Producers need few; what they give back consumers can have. All four warps of a warp group must do the
  /// same, and how many a thread has at first must be known: one block to a multiprocessor.
  bool chooseRegisters() {
    const std::string wanted = directive.word("registers");
    const RoleShape &shape = choice.shape;
    const std::string why = whyNotMove();
    if (wanted == "move" && !why.empty())
      return refuse(kernelPlace(), "registers cannot move from producers to consumers: " + why,
                    target == "sm_90" ? "--arch sm_90a" : "producers=4");
    const int64_t atFirst = int64_t(arch.registersPerSm) / shape.threads() / registerStep * registerStep;
    const bool isShort = int64_t(question.registers) > atFirst;
    if (wanted == "keep" || !why.empty() || (wanted == "auto" && !isShort))
      return true;
    const int64_t left = atFirst * shape.threads() - producersNeed * shape.producerThreads();
    const int64_t each = left / (shape.groupThreads() * shape.consumers) / registerStep * registerStep;
    choice.shape.producerRegisters = unsigned(producersNeed);
    choice.shape.consumerRegisters = unsigned(std::min(each, mostRegisters));
    return true;
  }

  std::string whyNotMove() const {
    if (level < 90)
      return "that is for sm_90 and later";
    if (!target.ends_with("a") && !target.ends_with("f"))
      return fmt::format("it is for targets of one architecture such as sm_90a, not for {}", target);
    if (choice.shape.producers % warpGroup ||
        choice.shape.groupThreads() * choice.shape.consumers / 32 % warpGroup)
      return "each role must be whole groups of four warps";
    return {};
  }

  // Whether it pays. The bounds are drawn from bench/results/h200-specialize.tsv; docs/specialize-gpu.md
  // shows it.
  // -------------------------------------------------------------------------------------------------------

  void decide() {
    const double reuse = work.loads > 0 ? work.reads / work.loads : 0;
    const auto no = [&](std::string why) {
      choice.pays = false;
      choice.reason = std::move(why);
    };
    if (work.loads < fewLoads)
      return no("a thread loads one element in a turn, and other blocks hide that as well");
    if (work.reads == 0)
      return no("how much is computed on a tile is not seen");
    if (reuse > muchReuse || (work.loads < manyLoads && reuse >= someReuse))
      return no(fmt::format(
          "each element that is loaded is read {:.0f} times: the computation is what takes time, and "
          "warps that load would be missed there",
          reuse));
    if (choice.shape.copy != Copy::Bulk && work.steps > work.reads)
      return no("the load takes more steps than the computation, and would be done by fewer warps");
    choice.reason = fmt::format("a thread loads {:.1f} elements in a turn and reads each {:.1f} times",
                                work.loads, reuse);
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
  const unsigned level; ///< 90 for sm_90
  const TurnWork work;
  RoleChoice choice;
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<RoleChoice, Diagnostic> chooseRoles(Context &context, const RoleQuestion &question) {
  return Chooser(context, question).choose();
}

} // namespace heddle::transform
