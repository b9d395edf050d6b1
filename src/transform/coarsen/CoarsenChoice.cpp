// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice, after section 4.4 of Unkule, Shaltz and Qasem (CC 2012):
//
//   1. Candidates: factors along x, y and both that divide the block and leave whole warps; for kernels without barriers and
//      shared memory also merged blocks. Map interleaved, which keeps accesses coalesced and shared memory free of bank conflicts.
//   2. Gain: how much less a thread's work asks of the multiprocessor (WorkEstimate), because merged threads share loads and
//      uniform work. Too little, and the kernel is not changed: fewer threads hide less latency, and that must be paid for.
//   3. Cost: registers, and the occupancy that is left with them and with the smaller block. The estimate rules out
//      what is unpromising; where there is a ptxas, its count for the very text decides.
//   4. Of what is left, the smallest factor that comes near the best one.
//   5. Where work does not shrink, threads that read memory once and wait, that stream through it, or whose windows
//      overlap, are still better merged (MemoryHabits): by a little, and where occupancy stays high.
#include "transform/coarsen/CoarsenChoice.h"

#include "analysis/MemoryHabits.h"
#include "arch/Arch.h"
#include "model/Profitability.h"
#include "model/Thresholds.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/TriedText.h"
#include "transform/coarsen/Coarsen.h"
#include "transform/work/WorkEstimate.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace heddle::transform {
namespace {

namespace threshold = model::threshold::coarsen;

struct Candidate {
  std::vector<Axis> axes; ///< outermost work loop first
  analysis::Map map = analysis::Map::Interleaved;
  std::string because; ///< where it is not the work that shrinks
  unsigned items = 1;
  unsigned threads = 0; ///< of a block that is left
  model::Work work;
  unsigned registers = 0;
  bool registersAreTrue = false;
  arch::Occupancy occupancy;

  std::string str() const {
    std::string text = "coarsen";
    for (size_t i = axes.size(); i-- > 0;)
      text += axes[i].dimension == Axis::grid
                  ? fmt::format(" grid={}", axes[i].factor)
                  : fmt::format(" {}={}", std::string(1, "xyz"[axes[i].dimension]), axes[i].factor);
    return map == analysis::Map::Blocked ? text + " map=blocked" : text;
  }
};

class Chooser {
public:
  Chooser(Context &context, const Kernel &kernel)
      : context(context), kernel(kernel), facts(context.facts(kernel)), arch(*context.options.arch),
        before(estimateWork(facts, arch)) {}

  /// Those that would pay, best first.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> list;
    auto consider = [&](std::vector<Axis> axes) {
      if (std::optional<Candidate> candidate = weigh(std::move(axes)))
        list.push_back(*candidate);
    };
    for (unsigned y = 1; y <= threshold::mostItems; y *= 2)
      for (unsigned x = 1; x * y <= threshold::mostItems; x *= 2)
        if (x * y > 1 && divides(0, x) && divides(1, y) && keepsFullWarps(x * y) && keepsRows(x))
          consider(y == 1   ? std::vector<Axis>{{0, x}}
                   : x == 1 ? std::vector<Axis>{{1, y}}
                            : std::vector<Axis>{{1, y}, {0, x}});
    if (!facts.regions->hasBarrier() && facts.launch.grid[0])
      for (unsigned blocks = 2; blocks <= threshold::mostItems; blocks *= 2)
        if (*facts.launch.grid[0] % blocks == 0)
          consider({{Axis::grid, blocks}});
    sort(list);
    return list;
  }

  /// Those that help memory, for kernels whose work does not shrink; larger factors first.
  std::vector<Candidate> candidatesForMemory() {
    const analysis::MemoryHabits habits = analysis::memoryHabits(facts);
    std::vector<Candidate> list;
    const bool isFlat = rows() == 1;
    for (unsigned factor = threshold::itemsForMemory; factor > 1; factor /= 2) {
      if (*facts.threadsPerBlock() / factor < threshold::leastThreadsForMemory || !keepsFullWarps(factor))
        continue;
      if (habits.slidesAlongX && isFlat && divides(0, factor))
        list.push_back(
            forMemory({{0, factor}}, analysis::Map::Blocked,
                      "neighbours read through windows that overlap, which then stay in registers"));
      else if (habits.readsAndWaits && divides(isFlat ? 0 : 1, factor))
        list.push_back(forMemory({{isFlat ? 0u : 1u, factor}}, analysis::Map::Interleaved,
                                 "it is latency-bound: each thread stalls on global loads, and a merged "
                                 "thread has several in flight"));
      else if (habits.streamsThroughMemory && isFlat && divides(0, factor))
        list.push_back(
            forMemory({{0, factor}}, analysis::Map::Interleaved,
                      "its loop streams through global memory: merged threads have more loads in flight"));
    }
    return list;
  }

  /// With ptxas' count of what is really emitted, where there is one. False where it must not be taken.
  bool confirm(Candidate &candidate, const std::string &text) {
    std::optional<analysis::KernelResources> compiled = compile(text);
    if (!compiled)
      return candidate.because.empty() || occupy(candidate);
    if (compiled->spills() && !(compiledBefore() && compiledBefore()->spills())) {
      note(candidate, "spills registers");
      return false;
    }
    candidate.registers = compiled->registers;
    candidate.registersAreTrue = true;
    if (!occupy(candidate))
      return false;
    if (!candidate.because.empty() && !model::keepsOccupancyForMemory(candidate.occupancy.percent)) {
      note(candidate, fmt::format("would leave {:.0f} % occupancy", candidate.occupancy.percent));
      return false;
    }
    return true;
  }

  std::string whyNone() const {
    if (!rejectedForMemory.empty())
      return rejectedForMemory;
    if (!model::mergingPays(bestGain))
      return fmt::format("not profitable: merging threads would save {:.0f} % of the loads; predicted "
                         "speed-up {:.2f}",
                         100 * bestShared, std::max(1.0, bestGain));
    return rejected.empty() ? "no factor that is legal is profitable" : rejected;
  }

  std::string report(const Candidate &candidate) {
    const double share = 100 * candidate.work.shareOfLoadsSaved();
    std::string text =
        candidate.because.empty()
            ? fmt::format("{} saves {:.0f} % of the loads, {:.2f} times less work by the cost model",
                          candidate.str(), share, gain(candidate))
            : fmt::format("{}, because {}", candidate.str(), candidate.because);
    unsigned registersBefore = compiledBefore() ? compiledBefore()->registers : facts.registersPerThread();
    text += fmt::format("; registers per thread {} -> {} ({})", registersBefore, candidate.registers,
                        candidate.registersAreTrue ? "ptxas" : "estimated");
    text += fmt::format("; occupancy on {} {:.0f} % -> {:.0f} %, with {} of {} threads per multiprocessor",
                        arch.name, occupancyBefore(), candidate.occupancy.percent,
                        counted(candidate.occupancy.blocksPerSm, "block"), candidate.threads);
    if (std::optional<double> blocks = gridBlocks(candidate))
      text += fmt::format("; the launch's {:.0f} blocks fill {:.0f} of them", *blocks,
                          std::max(1.0, *blocks / std::max(1u, candidate.occupancy.blocksPerSm)));
    else
      text += "; how many blocks are launched is known only at run time";
    return text;
  }

private:
  // Worth
  // --------------------------------------------------------------------------------------------------------

  double gain(const Candidate &candidate) const { return model::gain(before, candidate.work); }

  /// First the smallest factor that comes near the best, then the others as they gain.
  void sort(std::vector<Candidate> &list) const {
    std::stable_sort(list.begin(), list.end(),
                     [&](const Candidate &a, const Candidate &b) { return a.work.total() < b.work.total(); });
    if (list.empty())
      return;
    const double enough = model::nearlyLeast(list.front().work.total());
    std::stable_sort(list.begin(), list.end(), [&](const Candidate &a, const Candidate &b) {
      bool nearA = a.work.total() <= enough, nearB = b.work.total() <= enough;
      return nearA != nearB ? nearA : nearA && a.items < b.items;
    });
  }

  bool divides(unsigned dimension, unsigned factor) const {
    return *facts.launch.block[dimension] % factor == 0;
  }

  /// How many rows of threads along x a block has.
  int64_t rows() const { return facts.launch.block[1].value_or(1) * facts.launch.block[2].value_or(1); }

  /// A block of many rows has short ones, and shorter rows waste what memory brings.
  bool keepsRows(unsigned factor) const {
    return factor == 1 || rows() == 1 || *facts.launch.block[0] / factor >= threshold::leastRow;
  }

  Candidate forMemory(std::vector<Axis> axes, analysis::Map map, const char *because) const {
    Candidate candidate;
    candidate.items = axes.front().factor;
    candidate.threads = unsigned(*facts.threadsPerBlock()) / candidate.items;
    candidate.registers = facts.registersPerThread() * threshold::registersForMemory;
    candidate.axes = std::move(axes);
    candidate.map = map;
    candidate.because = because;
    return candidate;
  }

  /// A warp with lanes left empty wastes more than reuse gains.
  bool keepsFullWarps(unsigned items) const { return *facts.threadsPerBlock() / items % arch.warpSize == 0; }

  // Price
  // --------------------------------------------------------------------------------------------------------

  double occupancyBefore() const { return facts.occupancy ? facts.occupancy->percent : 100; }

  /// Registers that the values kept in arrays take for one more item.
  unsigned arrayRegistersPerItem(const WorkPlan &plan) const {
    const clang::ASTContext &ast = facts.uniformity->unit().context();
    unsigned sum = 0;
    for (const ItemVariable &entry : plan.variables)
      if (entry.keep == Keep::Array)
        sum += unsigned((ast.getTypeSizeInChars(entry.variable->getType()).getQuantity() + 3) / 4);
    return sum;
  }

  void note(const Candidate &candidate, const std::string &why) {
    if (candidate.because.empty() && rejected.empty())
      rejected = fmt::format("{} {}", candidate.str(), why);
    if (!candidate.because.empty() && rejectedForMemory.empty())
      rejectedForMemory = fmt::format("{} ({}) {}", candidate.str(), candidate.because, why);
  }

  std::optional<double> gridBlocks(const Candidate &candidate) const {
    if (!facts.blocksOfGrid())
      return std::nullopt;
    double blocks = double(*facts.blocksOfGrid());
    for (const Axis &axis : candidate.axes)
      blocks /= axis.dimension == Axis::grid ? axis.factor : 1;
    return blocks;
  }

  /// Fills in the occupancy; false where it is too low.
  bool occupy(Candidate &candidate) {
    candidate.occupancy = arch::occupancy(arch, facts.resources(candidate.threads, candidate.registers));
    if (!model::keepsOccupancy(occupancyBefore(), candidate.occupancy.percent)) {
      note(candidate, fmt::format("would leave {:.0f} % occupancy", candidate.occupancy.percent));
      return false;
    }
    const double warps = double(candidate.threads) / arch.warpSize;
    std::optional<double> blocks = gridBlocks(candidate);
    if (blocks && !model::fillsDevice(*blocks * warps, arch)) {
      note(candidate,
           fmt::format("would leave {:.0f} warps in the grid; {:.0f} are needed to fill {} ({} SMs)",
                       *blocks * warps, model::warpsToFill(arch), arch.name, arch.deviceSms));
      return false;
    }
    return true;
  }

  std::optional<Candidate> weigh(std::vector<Axis> axes) {
    Candidate candidate;
    candidate.axes = std::move(axes);
    candidate.items = itemsOf(candidate.axes);
    candidate.threads = unsigned(*facts.threadsPerBlock());
    for (const Axis &axis : candidate.axes)
      candidate.threads /= axis.dimension == Axis::grid ? 1 : axis.factor;
    auto planned = planWork(facts, candidate.axes);
    if (!std::holds_alternative<WorkPlan>(planned))
      return std::nullopt;
    const WorkPlan &plan = std::get<WorkPlan>(planned);
    candidate.work = estimateWork(facts, arch, &plan, candidate.axes);
    bestGain = std::max(bestGain, gain(candidate));
    bestShared = std::max(bestShared, candidate.work.shareOfLoadsSaved());
    if (!model::mergingPays(gain(candidate)))
      return std::nullopt;
    candidate.registers =
        model::registersOfMerged(facts.registersPerThread(), candidate.items, arrayRegistersPerItem(plan));
    if (!model::mayTakeRegisters(candidate.registers, arch)) {
      note(candidate, fmt::format("would take about {} registers per thread", candidate.registers));
      return std::nullopt;
    }
    return occupy(candidate) ? std::optional(candidate) : std::nullopt;
  }

  // What ptxas says
  // ------------------------------------------------------------------------------------------------

  std::optional<analysis::KernelResources> compile(const std::string &text) const {
    return compiledResources(context.program, context.options.compile, text, kernel.mangledName);
  }

  const std::optional<analysis::KernelResources> &compiledBefore() {
    if (!wasCompiled) {
      knownBefore = compile(textOfFile(context));
      wasCompiled = true;
    }
    return knownBefore;
  }

  Context &context;
  const Kernel &kernel;
  const KernelFacts &facts;
  const arch::Arch &arch;
  const model::Work before;
  double bestGain = 1, bestShared = 0;
  std::string rejected;          ///< the first candidate that would have paid, and why it cannot be taken
  std::string rejectedForMemory; ///< the same of those that would help memory
  bool wasCompiled = false;
  std::optional<analysis::KernelResources> knownBefore;
};

/// The file with the directive carried out; nothing where it is refused. Nothing of the try is left.
std::optional<std::string> tried(Context &context, const Candidate &candidate) {
  Diagnostics diagnostics;
  Context scratch(context.program, context.target, context.directive, context.options, diagnostics);
  PassResult result = coarsenAlong(scratch, candidate.axes, candidate.map);
  auto *edited = std::get_if<Edited>(&result);
  return edited ? changedText(edited->edits) : std::nullopt;
}

} // namespace

std::variant<Suggestion, Needs> suggestCoarsening(Context &context) {
  if (std::optional<Needs> needed = formToCoarsen(context))
    return *needed;
  if (std::optional<Needs> needed = formForPlan(context, {{0, 2}}))
    return *needed;
  Chooser chooser(context, context.target.first());
  std::vector<Candidate> candidates = chooser.candidates();
  std::ranges::move(chooser.candidatesForMemory(), std::back_inserter(candidates));
  for (Candidate &candidate : candidates)
    if (std::optional<std::string> text = tried(context, candidate);
        text && chooser.confirm(candidate, *text))
      return Suggestion{candidate.str(), chooser.report(candidate)};
  return Suggestion{{}, chooser.whyNone()};
}

} // namespace heddle::transform
