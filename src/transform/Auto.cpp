// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice, in three steps:
//
//   1. Candidates: factors along x, y and both that divide the block. Map interleaved, which keeps accesses
//   coalesced.
//   2. Each candidate's worth: the share of loads from shared and global memory that is saved because merged
//   threads
//      read the same element (the thread's index along a merged axis is in none of its subscripts). A load in
//      a loop counts as often as the loop runs. Reuse between neighbours (a[i], a[i-1]) does not count: work
//      loops do not turn it into registers by themselves.
//   3. Each candidate's price: an array in registers for each value that lives across work loops, and what
//   occupancy is
//      left with those registers and a smaller block. Candidates that would spill or leave too few warps are
//      out.
//
// The best is the one that saves most; a larger factor must save a good deal more to be preferred, as
// occupancy and the grid's tail always pay for it.
#include "transform/Auto.h"

#include "arch/Arch.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/Coarsen.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;
using analysis::KernelFacts;

/// A loop whose length is not known is taken to run as often as a small tile is wide.
constexpr int64_t assumedTrips = 16;
/// More than this much work in a thread has never paid: registers run out first.
constexpr unsigned mostItems = 16;
/// Below this share of saved loads the loss of threads is not paid for.
constexpr double leastSaved = 0.15;
/// What a doubled factor must save in addition.
constexpr double leastGain = 0.05;
/// Fewer warps than this share of the multiprocessor's cannot hide the latency of memory.
constexpr double leastOccupancyPercent = 25;
/// Of the registers a thread may have; the estimate is not exact, and spills cost more than any reuse gains.
constexpr double registerShare = 0.75;
/// Addresses and indices that each further item needs besides its arrays.
constexpr unsigned registersPerItem = 3;

struct Candidate {
  std::vector<Axis> axes; ///< outermost work loop first
  unsigned items = 1;
  double saved = 0; ///< share of loads
  unsigned registers = 0;
  double occupancyPercent = 0;

  std::string str() const {
    std::string text = "coarsen";
    for (size_t i = axes.size(); i-- > 0;)
      text += fmt::format(" {}={}", std::string(1, "xyz"[axes[i].dimension]), axes[i].factor);
    return text;
  }
};

class Chooser {
public:
  Chooser(Context &context, const source::Kernel &kernel) : context(context), facts(context.facts(kernel)) {}

  bool hasBlock() const { return facts.threadsPerBlock().has_value(); }

  /// Those worth trying, best first.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> list;
    for (unsigned y = 1; y <= mostItems; y *= 2)
      for (unsigned x = 1; x * y <= mostItems; x *= 2)
        if (x * y > 1 && divides(0, x) && divides(1, y) && keepsFullWarps(x * y))
          if (std::optional<Candidate> candidate = weigh(x, y))
            list.push_back(*candidate);
    // A larger factor stands before a smaller one only if it saves enough more.
    std::stable_sort(list.begin(), list.end(),
                     [](const Candidate &a, const Candidate &b) { return worth(a) > worth(b); });
    return list;
  }

  /// What to say where no candidate is left.
  std::string whyNone() const {
    if (best < leastSaved)
      return fmt::format(
          "merged threads would share {:.0f} % of the loads, which is too little to pay for fewer threads",
          100 * best);
    return "every factor would take too many registers or leave too few warps";
  }

private:
  static double worth(const Candidate &candidate) {
    double doublings = 0;
    for (unsigned items = candidate.items; items > 1; items /= 2)
      ++doublings;
    return candidate.saved - leastGain * doublings;
  }

  bool divides(unsigned dimension, unsigned factor) const {
    return *facts.launch.block[dimension] % factor == 0;
  }

  /// A warp with lanes left empty wastes more than reuse gains.
  bool keepsFullWarps(unsigned items) const {
    return *facts.threadsPerBlock() / items % context.options.arch->warpSize == 0;
  }

  static double timesExecuted(const Access &access) {
    double times = 1;
    for (const analysis::Loop *loop = access.loop; loop; loop = loop->parent)
      times *= double(loop->trips.value_or(assumedTrips));
    return times;
  }

  double savedShare(unsigned x, unsigned y) const {
    double before = 0, after = 0;
    for (const Access &access : facts.accesses->all()) {
      bool isLoad = access.kind == Access::Kind::Read && (access.array->space == Array::Space::Shared ||
                                                          access.array->space == Array::Space::Global);
      if (!isLoad)
        continue;
      double times = timesExecuted(access);
      auto needed = [&](unsigned dimension, unsigned factor) {
        return !access.address || access.address->dependsOnThread(dimension) ? factor : 1;
      };
      before += times * x * y;
      after += times * needed(0, x) * needed(1, y);
    }
    return before > 0 ? 1 - after / before : 0;
  }

  /// Registers that the values kept in arrays take for one more item.
  unsigned registersOfItem(const WorkPlan &plan) const {
    const clang::ASTContext &ast = facts.uniformity->unit().context();
    unsigned sum = registersPerItem;
    for (const ItemVariable &entry : plan.variables)
      if (entry.keep == Keep::Array)
        sum += unsigned((ast.getTypeSizeInChars(entry.variable->getType()).getQuantity() + 3) / 4);
    return sum;
  }

  std::optional<Candidate> weigh(unsigned x, unsigned y) const {
    Candidate candidate;
    if (y > 1)
      candidate.axes.push_back({1, y});
    if (x > 1)
      candidate.axes.push_back({0, x});
    candidate.items = x * y;
    candidate.saved = savedShare(x, y);
    best = std::max(best, candidate.saved);
    if (candidate.saved < leastSaved)
      return std::nullopt;
    auto planned = planWork(facts, candidate.axes);
    if (!std::holds_alternative<WorkPlan>(planned))
      return std::nullopt;
    candidate.registers =
        facts.registersPerThread() + (candidate.items - 1) * registersOfItem(std::get<WorkPlan>(planned));
    if (candidate.registers > registerShare * context.options.arch->maxRegistersPerThread)
      return std::nullopt;
    arch::KernelResources resources;
    resources.threadsPerBlock = unsigned(*facts.threadsPerBlock()) / candidate.items;
    resources.registersPerThread = candidate.registers;
    resources.staticSharedBytes = size_t(facts.staticSharedBytes);
    resources.dynamicSharedBytes = size_t(facts.dynamicSharedBytes.value_or(0));
    candidate.occupancyPercent = arch::occupancy(*context.options.arch, resources).percent;
    double before = facts.occupancy ? facts.occupancy->percent : 100;
    if (candidate.occupancyPercent < std::min(leastOccupancyPercent, before / 2))
      return std::nullopt;
    return candidate;
  }

  Context &context;
  const KernelFacts &facts;
  mutable double best = 0;
};

/// Whether the directive would go through; nothing of the try is left.
bool wouldWork(Context &context, const Candidate &candidate) {
  source::Edits edits;
  Diagnostics diagnostics;
  Context scratch(context.program, context.target, context.directive, context.options, edits, diagnostics);
  return coarsenAlong(scratch, candidate.axes, analysis::Map::Interleaved);
}

} // namespace

bool chooseAutomatically(Context &context) {
  const source::Kernel &kernel = context.target.first();
  Chooser chooser(context, kernel);
  if (!context.options.arch || !chooser.hasBlock()) {
    context
        .kept(kernel.place, fmt::format("'{}' stays as it is: its block is not known", context.target.name))
        .withHint("--block X,Y,Z says it");
    return true;
  }
  std::vector<Candidate> candidates = chooser.candidates();
  for (const Candidate &candidate : candidates) {
    if (!wouldWork(context, candidate))
      continue;
    context.done(fmt::format(
        "'{}': {} saves {:.0f} % of the loads, takes about {} registers a thread and leaves {:.0f} "
        "% occupancy on {}",
        context.target.name, candidate.str(), 100 * candidate.saved, candidate.registers,
        candidate.occupancyPercent, context.options.arch->name));
    return coarsenAlong(context, candidate.axes, analysis::Map::Interleaved);
  }
  context.kept(kernel.place,
               fmt::format("'{}' stays as it is: {}", context.target.name,
                           candidates.empty() ? chooser.whyNone() : "no factor that would pay is possible"));
  return true;
}

} // namespace heddle::transform
