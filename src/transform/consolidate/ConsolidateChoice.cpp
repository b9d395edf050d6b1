// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What consolidation gives is barriers that cost nothing to wait at, and warps that come and go by
// themselves. What it takes is threads: a multiprocessor holds 32 blocks on most generations, so half of its
// warps at best, and each of them with a block's registers. So:
//
//   1. No barrier, no gain: smaller blocks alone have only ever less occupancy.
//   2. Barriers must be near each other. Much work between them hides the wait behind other warps' work.
//   3. A loop around barriers must not go to global memory: half as many warps wait for it twice as long. (On an
//      H200 a stencil that loads a plane in each iteration and a search that loads a row became half as fast,
//      trees, scans and option prices up to three times faster.)
//   4. Enough warps must be left: on a multiprocessor, by registers and shared memory of the text as it would
//      be, and in the whole grid, which then has one warp for each block.
//   5. Nothing may spill that did not before.
#include "transform/consolidate/ConsolidateChoice.h"

#include "arch/Arch.h"
#include "model/Profitability.h"
#include "model/Thresholds.h"
#include "support/Text.h"
#include "transform/LaunchEdits.h"
#include "transform/Pipeline.h"
#include "transform/TriedText.h"
#include "transform/consolidate/WarpBlock.h"
#include "transform/work/WorkEstimate.h"

#include <algorithm>

namespace heddle::transform {

namespace {

using model::threshold::work::assumedTrips;

/// How often a thread comes to a barrier of the block.
double barriersPassed(const KernelFacts &facts) {
  double passed = 0;
  for (const analysis::Barrier &barrier : facts.regions->barriers()) {
    if (!barrier.cutsRegion())
      continue;
    double times = 1;
    for (const auto &loop : facts.accesses->loops())
      if (Uses::of(loop->statement).statements.contains(barrier.statement))
        times *= double(loop->trips.value_or(int64_t(assumedTrips)));
    passed += times;
  }
  // Those of functions it calls are not listed; there is at least one.
  return facts.regions->hasBarrier() ? std::max(passed, 1.0) : 0;
}

/// An access to global memory in a loop that holds a barrier.
const analysis::Access *globalBetweenBarriers(const KernelFacts &facts) {
  for (const auto &loop : facts.accesses->loops()) {
    const Uses inside = Uses::of(loop->statement);
    const bool waits = std::ranges::any_of(facts.regions->barriers(), [&](const analysis::Barrier &barrier) {
      return barrier.cutsRegion() && inside.statements.contains(barrier.statement);
    });
    if (!waits)
      continue;
    for (const analysis::Access &access : facts.accesses->all())
      if (access.array->space == analysis::Array::Space::Global &&
          inside.statements.contains(access.expression))
        return &access;
  }
  return nullptr;
}

/// The kernel as it would be: what a multiprocessor holds of it.
struct Outlook {
  unsigned registers = 0;
  bool isTrue = false, spills = false;
  arch::Occupancy occupancy;
};

Outlook outlook(const Context &context, const KernelFacts &facts, unsigned threads, const std::string &text) {
  Outlook result;
  result.registers = facts.registersPerThread();
  if (auto compiled =
          compiledResources(context.program, context.options.compile, text, facts.kernel->mangledName)) {
    result.registers = compiled->registers;
    result.isTrue = true;
    result.spills = compiled->spills();
  }
  result.occupancy = arch::occupancy(*context.options.arch, facts.resources(threads, result.registers));
  return result;
}

/// The file after the first stage; nothing where that is refused.
std::optional<std::string> consolidatedText(const Context &context) {
  std::string text = textOfFile(context);
  // Directives that come later are not the question.
  for (size_t at = text.find("#pragma heddle"); at != std::string::npos; at = text.find("#pragma heddle", at))
    text.replace(at, 2, "//");
  Options options = context.options;
  options.kernel = context.target.name;
  Diagnostics messages;
  std::vector<Directive> first = readDirectives("consolidate remap=off delegate=off", messages);
  Outcome outcome = applyDirectives(context.program.file(), text, first, options, messages);
  return outcome.kind == Outcome::Kind::Done ? std::optional(outcome.text) : std::nullopt;
}

/// Facts about the kernel of this name in another text of the file.
struct Reread {
  std::unique_ptr<source::Program> program;
  std::unique_ptr<KernelFacts> facts;
};
std::optional<Reread> reread(const Context &context, const std::string &text) {
  auto parsed = source::Program::parseText(context.program.file().string(), text, context.options.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program)
    return std::nullopt;
  Reread result{std::move(*program), nullptr};
  analysis::FactOptions wanted;
  wanted.arch = context.options.arch;
  for (const auto &kernel : result.program->kernels())
    if (kernel->plainName == context.target.name) {
      result.facts = KernelFacts::of(*result.program, *kernel, wanted);
      return result;
    }
  return std::nullopt;
}

struct ConsolidateChoice {
  bool pays = false;
  std::string why; ///< or why not, for the report
};

ConsolidateChoice no(std::string why) { return {false, std::move(why)}; }

/// From what is known of the kernel: barriers and the work between them, registers and occupancy before and
/// after, the size of the grid. Carries the first pass out on a copy of the text to see what it would be.
ConsolidateChoice weighConsolidation(Context &context) {
  const KernelFacts &facts = context.facts(context.target.first());
  const double barriers = barriersPassed(facts);
  if (barriers == 0)
    return no("its threads do not synchronize, and smaller blocks alone gain nothing");
  if (!context.options.arch)
    return no("there is no table of limits for this GPU");
  const BlockKnowledge known = blockKnowledge(context);
  if (!known.block)
    return no(fmt::format("{}, and the code would have to serve the largest block",
                          known.differs         ? "it is launched with different blocks"
                          : isLaunched(context) ? "its block is known only at run time"
                                                : "no launch of it is in the file"));
  const auto &[x, y, z] = *known.block;
  const unsigned threads = unsigned(x * y * z);

  const double work = estimateWork(facts, *context.options.arch).total() / barriers;
  if (model::hidesBarriers(work))
    return no(fmt::format(
        "not profitable: work of about {:.0f} FP32 additions per thread between barriers, so other warps "
        "hide the barrier",
        work));
  if (const analysis::Access *access = globalBetweenBarriers(facts))
    return no(fmt::format(
        "not profitable: the loop around its barriers accesses global memory in line {}, and fewer "
        "warps hide less latency",
        access->location.line));
  if (threads <= lanesOfWarp)
    return {true, "a block is one warp already: its barriers need not be block-wide"};
  const std::optional<int64_t> blocks = facts.blocksOfGrid();
  if (blocks && !model::fillsDevice(double(*blocks), *context.options.arch))
    return no(fmt::format("not profitable: a grid of {} becomes {}; {:.0f} are needed to fill {} ({} SMs)",
                          counted(size_t(*blocks), "block"), counted(size_t(*blocks), "warp"),
                          model::warpsToFill(*context.options.arch), context.options.arch->name,
                          context.options.arch->deviceSms));

  std::optional<std::string> text = consolidatedText(context);
  std::optional<Reread> after = text ? reread(context, *text) : std::nullopt;
  if (!after)
    return no("one warp cannot do the work of its block ('consolidate remap=auto' reports why)");
  const Outlook before = outlook(context, facts, threads, textOfFile(context));
  const Outlook then = outlook(context, *after->facts, lanesOfWarp, *text);
  if (then.spills && !before.spills)
    return no("not profitable: registers would spill");
  const double warpsBefore = before.occupancy.warpsPerSm, warpsThen = then.occupancy.warpsPerSm;
  const std::string change =
      fmt::format("registers per thread {} -> {} ({}), warps per multiprocessor of {} {:.0f} -> {:.0f}",
                  before.registers, then.registers, then.isTrue ? "ptxas" : "estimated",
                  context.options.arch->name, warpsBefore, warpsThen);
  if (!model::keepsWarps(warpsBefore, warpsThen))
    return no("not profitable: too few warps would be resident: " + change);
  return {true, fmt::format("work of about {:.0f} FP32 additions per thread between two barriers, {}", work,
                            change)};
}

} // namespace

std::variant<Suggestion, Needs> suggestConsolidation(Context &context) {
  const ConsolidateChoice choice = weighConsolidation(context);
  return choice.pays ? Suggestion{"consolidate remap=auto", "consolidate, because of " + choice.why}
                     : Suggestion{{}, choice.why};
}

PassResult chooseToConsolidate(Context &context) {
  if (!context.directive.settings.empty())
    return Edited();
  const ConsolidateChoice choice = weighConsolidation(context);
  if (choice.pays) {
    context.done("profitable for '{}': {}", context.target.name, choice.why);
    return Edited();
  }
  context.kept(context.target.first().location, fmt::format("'{}': {}", context.target.name, choice.why));
  return Unchanged(/*callsOffDirective=*/true);
}

} // namespace heddle::transform
