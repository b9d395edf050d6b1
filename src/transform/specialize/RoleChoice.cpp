// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/RoleChoice.h"

#include "source/Unit.h"

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
constexpr int64_t mostThreads = 1024;

using Copy = RoleShape::Copy;
using Barrier = RoleShape::Barrier;

class Chooser {
public:
  Chooser(Context &context, const RoleQuestion &question)
      : directive(context.directive), question(question),
        level(context.options.arch ? context.options.arch->major * 10 + context.options.arch->minor : 90) {
    choice.shape.block = question.block;
  }

  std::variant<RoleChoice, Diagnostic> choose() {
    if (!chooseCopy() || !chooseBarrier() || !chooseWarps() || !chooseGroups())
      return *trouble;
    return choice;
  }

private:
  bool refuse(Place place, const std::string &why, const std::string &hint = {}) {
    trouble = obstacle(std::move(place), why);
    trouble->hint = hint;
    return false;
  }
  const Place &kernelPlace() const { return question.tree.study.kernel.place; }

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
      return refuse(kernelPlace(), "bulk copies need sm_90 or later", level < 80 ? "copy=ld" : "copy=cpasync");
    if (wanted == "cpasync" && !someAsync)
      return refuse(question.tree.place(*notAsync->node), "cp.async cannot make this load: " + notAsync->whyNotAsync,
                    "copy=ld");
    if (wanted == "bulk" && notBulk)
      return refuse(question.tree.place(*notBulk->node), "bulk copies cannot make this load: " + notBulk->whyNotBulk,
                    someAsync ? "copy=cpasync" : "copy=ld");
    Copy &copy = choice.shape.copy;
    if (wanted == "ld")
      copy = Copy::Ld;
    else if (wanted == "bulk")
      copy = Copy::Bulk;
    else if (wanted == "cpasync")
      copy = Copy::CpAsync;
    else
      copy = level >= 80 && someAsync ? Copy::CpAsync : Copy::Ld;
    if (copy == Copy::CpAsync && notAsync)
      choice.notes.push_back({question.tree.place(*notAsync->node),
                              "this load goes through a register: " + notAsync->whyNotAsync});
    return true;
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
      shape.buffers = 2;
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
    if (shape.threads() <= mostThreads)
      return true;
    return refuse(kernelPlace(),
                  fmt::format("{} threads that compute and {} that load are more than the {} a block can have",
                              shape.groupThreads() * shape.consumers, shape.producerThreads(), mostThreads),
                  "coarsen it first");
  }

  /// The hardware has 16: what does not fit lies in shared memory.
  bool leaveNamed() {
    const std::string why = fmt::format("{} buffers need {} named barriers, and a block has {}",
                                        choice.shape.buffers, 2 * choice.shape.buffers + takenBarriers, namedBarriers);
    if (level < 80)
      return refuse(kernelPlace(), why, fmt::format("buffers={}", (namedBarriers - takenBarriers) / 2));
    choice.shape.barrier = Barrier::Mbarrier;
    choice.notes.push_back({kernelPlace(), why + ": they are mbarriers"});
    return true;
  }

  unsigned producersByDefault() const {
    if (choice.shape.copy == Copy::Bulk)
      return 1;
    return unsigned(std::clamp<int64_t>(choice.shape.groupThreads() / 32, 1, 4));
  }

  bool chooseGroups() {
    if (choice.shape.consumers == 1)
      return true;
    auto groups = splitAmongGroups(question.tree, question.split);
    if (auto *refused = std::get_if<Diagnostic>(&groups)) {
      trouble = *refused;
      return false;
    }
    choice.groups = std::get<GroupSplit>(groups);
    return true;
  }

  const Directive &directive;
  const RoleQuestion &question;
  const unsigned level; ///< 90 for sm_90
  RoleChoice choice;
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<RoleChoice, Diagnostic> chooseRoles(Context &context, const RoleQuestion &question) {
  return Chooser(context, question).choose();
}

} // namespace heddle::transform
