// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page that `heddle analyze` prints for a kernel, section by section, in the order a person asks: how is
// it launched, how is it built around its barriers, what does it touch, where do its threads diverge, what does
// it cost.
#include "analysis/HiddenBarriers.h"
#include "analysis/RegionView.h"
#include "report/AnalyzeReport.h"
#include "report/KernelWords.h"
#include "report/Page.h"
#include "source/Unit.h"
#include "support/Text.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace heddle::report {
namespace {

using namespace analysis;

constexpr size_t manyRows = 40; // of one table; a generated kernel has thousands

std::string lineOf(const SourceLocation &location) { return fmt::format("line {}", location.line); }

std::string dimensionName(unsigned dimension) { return std::string(1, "xyz"[dimension]); }

/// "8 warps" or "the last of 3 warps has 8 threads"
std::string warpsText(int64_t threads) {
  int64_t warps = (threads + 31) / 32;
  std::string text = counted(size_t(warps), "warp");
  return threads % 32 ? fmt::format("{}, the last with {}", text, counted(size_t(threads % 32), "thread"))
                      : text;
}

class AnalyzeText {
public:
  AnalyzeText(const KernelFacts &facts, const arch::Arch &arch, const std::vector<Opportunity> &opportunities)
      : facts(facts), arch(arch), opportunities(opportunities) {}

  std::string text() {
    page.title(fmt::format("{}    {}", facts.kernel->name, facts.kernel->location.str()));
    launch();
    barriers();
    regions();
    sharedMemory();
    accesses();
    dependences();
    reuse();
    divergence();
    live();
    registers();
    occupancy();
    addOpportunities();
    findings();
    return page.str();
  }

private:
  /// "line 12", or "tile.cuh:12" in another file than the kernel's.
  std::string lineOf(const SourceLocation &location) const {
    if (location.file == facts.kernel->location.file)
      return report::lineOf(location);
    return fmt::format("{}:{}", std::filesystem::path(location.file).filename().string(), location.line);
  }

  SourceLocation locationOf(const clang::Stmt *statement) const {
    return facts.kernel->unit->location(statement);
  }

  void launch() {
    if (facts.launches.empty())
      page.line("launch", "none in this file");
    std::string label = "launch";
    for (const source::Launch *launch : facts.launches) {
      auto values = [](const source::LaunchShape &s) {
        return std::array{s.xyz[0].value, s.xyz[1].value, s.xyz[2].value};
      };
      std::string text =
          fmt::format("grid {}, block {}", shapeText(values(launch->grid)), shapeText(values(launch->block)));
      if (auto total = launch->block.total())
        text += fmt::format(" = {}, {}", counted(size_t(*total), "thread"), warpsText(*total));
      if (launch->dynamicSharedBytes.value != 0)
        text += fmt::format(", dynamic shared memory {}", launch->dynamicSharedBytes.value
                                                              ? bytesText(*launch->dynamicSharedBytes.value)
                                                              : "?");
      if (!launch->stream.empty())
        text += fmt::format(", stream {}", launch->stream);
      page.line(label, fmt::format("{}    {}", text, lineOf(launch->location)));
      label.clear();
      explainUnknown("grid", launch->grid);
      explainUnknown("block", launch->block);
    }
    if (facts.blockOrigin == BlockOrigin::Asked)
      page.line("assumed", fmt::format("block {} as asked for with --block", shapeText(facts.launch.block)));
    if (facts.launchesDisagree)
      page.line("assumed", fmt::format("block {}, of the first launch; the launches differ",
                                       shapeText(facts.launch.block)));
    if (facts.blockOrigin == BlockOrigin::NotKnown)
      page.line("assumed", "no block size: it is known only at run time; --block X,Y,Z sets one");
    if (facts.kernel->maxThreads)
      page.line("bounds",
                fmt::format("__launch_bounds__: at most {}", counted(facts.kernel->maxThreads, "thread")) +
                    (facts.kernel->minBlocks
                         ? fmt::format(", at least {}", counted(facts.kernel->minBlocks, "block"))
                         : ""));
  }

  void explainUnknown(const char *what, const source::LaunchShape &s) {
    std::set<std::string> said;
    for (const source::LaunchNumber &n : s.xyz)
      if (!n.value && said.insert(n.whyUnknown).second)
        page.more(fmt::format("{} '{}' is not known: {}", what, s.text, n.whyUnknown));
  }

  void barriers() {
    std::vector<std::vector<std::string>> rows;
    for (const Barrier &barrier : facts.regions->barriers()) {
      std::string what = fmt::format("{}", nameOf(barrier.scope));
      if (barrier.id)
        what += fmt::format(" {}", *barrier.id);
      if (barrier.threads)
        what += fmt::format(", {} threads", *barrier.threads);
      const DivergentControl *divergent = facts.regions->divergence(barrier);
      rows.push_back({lineOf(locationOf(barrier.statement)), barrier.spelling, what,
                      divergent ? "under a condition that differs by thread" : ""});
    }
    const std::vector<HiddenBarrier> hidden = hiddenBarriers(*facts.kernel);
    if (rows.empty())
      page.line("barriers", facts.regions->hasBarrier() ? "only in functions that the kernel calls"
                            : hidden.empty() ? "none"
                                             : "only in constructors, operators or library functions");
    else
      limitedTable("barriers", rows);
    for (const HiddenBarrier &each : hidden)
      page.more(fmt::format("{}: {} in {}, executed at {}", lineOf(each.location), each.barrier.spelling,
                            each.inside, lineOf(each.executedAt)));
    for (const EarlyExit &exit : facts.regions->earlyExits())
      page.more(fmt::format("{}: threads may return before a barrier, uniform over the {}",
                            lineOf(exit.location), nameOf(exit.level)));
  }

  void regions() {
    if (!facts.regions->hasBarrier())
      return;
    if (!facts.regions->isStructured()) {
      page.line("regions", "goto makes them impossible to distinguish");
      return;
    }
    std::vector<std::vector<std::string>> rows;
    const RegionView view(*facts.tree);
    describe(view, view.steps(), 0, rows);
    limitedTable("regions", rows);
  }

  /// "12-15" or "12"
  std::string linesOf(const clang::Stmt *first, const clang::Stmt *last) const {
    const source::Unit &unit = *facts.kernel->unit;
    unsigned begin = unit.location(first).line, end = unit.location(last->getEndLoc()).line;
    return begin == end ? fmt::format("line {}", begin) : fmt::format("lines {}-{}", begin, end);
  }

  void describe(const RegionView &view, const std::vector<RegionStep> &steps, unsigned depth,
                std::vector<std::vector<std::string>> &rows) const {
    using Kind = RegionStep::Kind;
    const std::string indent(2 * depth, ' ');
    for (const RegionStep &step : steps) {
      switch (step.kind) {
      case Kind::Region:
        rows.push_back({fmt::format("{}region {}", indent, step.region),
                        linesOf(step.statements.front(), step.statements.back())});
        continue;
      case Kind::Barrier:
        rows.push_back({indent + "barrier", lineOf(locationOf(step.point->statement))});
        continue;
      case Kind::Call:
        rows.push_back({indent + "call", lineOf(locationOf(step.point->statement))});
        rows.push_back({indent + "  into a function with barriers of its own", ""});
        continue;
      case Kind::Loop:
        rows.push_back({indent + "loop", linesOf(step.node->statement, step.node->statement)});
        break;
      case Kind::Branch:
        rows.push_back({indent + "branch", linesOf(step.node->statement, step.node->statement)});
        break;
      }
      for (const RegionPart &part : view.partsOf(*step.node))
        describe(view, part.steps, depth + 1, rows);
    }
  }

  void sharedMemory() {
    std::vector<std::vector<std::string>> rows;
    for (const auto &array : facts.accesses->arrays())
      if (array->space == Array::Space::Shared) {
        std::string extents;
        int64_t total = array->elementBytes;
        for (int64_t extent : array->extents)
          extents += fmt::format("[{}]", extent), total *= extent;
        rows.push_back(
            {fmt::format("{} {}{}", array->elementType, array->name, array->isDynamic ? "[]" : extents),
             array->isDynamic ? "sized by the launch" : bytesText(total)});
      }
    if (!rows.empty())
      limitedTable("shared", rows);
  }

  void accesses() {
    std::vector<std::vector<std::string>> rows;
    std::set<std::vector<std::string>> seen;
    for (const Access &access : facts.accesses->all()) {
      if (!isTraffic(*access.array))
        continue;
      std::vector<std::string> row = {lineOf(access.location),         nameOf(access.kind),
                                      nameOf(access.array->space),     access.text,
                                      accessWords(facts, access).text, subscriptText(access)};
      if (seen.insert(row).second)
        rows.push_back(row);
    }
    if (rows.empty())
      page.line("accesses", "none to shared or global memory");
    else
      limitedTable("accesses", rows);
    for (const Diagnostic &gap : facts.accesses->gaps())
      page.more(fmt::format("{}: {}", lineOf(gap.location), gap.text));
  }

  /// Ordered dependences are summed up for each array; one that nothing orders is printed in full.
  void dependences() {
    struct Sum {
      std::map<std::string, unsigned> kinds;
      std::set<std::string> distances;
      unsigned uncertain = 0;
    };
    std::map<std::pair<std::string, std::string>, Sum> sums; // by array and what orders them
    std::vector<std::string> unordered;
    for (const Dependence &d : facts.dependences().all()) {
      const Access &source = facts.accesses->all()[d.source], &sink = facts.accesses->all()[d.sink];
      if (d.isRace()) {
        unordered.push_back(fmt::format("{} {} at {} and {} at {}: {}{}", nameOf(d.kind), source.text,
                                        lineOf(source.location), sink.text, lineOf(sink.location),
                                        facts.hasPartialBarriers()
                                            ? "no barrier of the block orders them, others may"
                                            : "nothing orders them",
                                        d.isCertain ? "" : ", if their addresses overlap: " + d.reason));
        continue;
      }
      Sum &sum = sums[{source.array->name, d.isOrdered ? "ordered by barriers" : "atomic"}];
      ++sum.kinds[nameOf(d.kind)];
      sum.uncertain += !d.isCertain;
      for (unsigned i = 0; i < 3; ++i)
        if (d.distance[i] && *d.distance[i])
          sum.distances.insert(fmt::format("{}{:+}", dimensionName(i), *d.distance[i]));
    }
    std::vector<std::string> lines;
    for (const auto &[key, sum] : sums) {
      std::vector<std::string> kinds;
      for (const auto &[kind, count] : sum.kinds)
        kinds.push_back(fmt::format("{} {}", count, kind));
      std::string text = fmt::format("{}: {} between threads, {}", key.first, joinAnd(kinds), key.second);
      if (!sum.distances.empty())
        text += fmt::format(", distances {}", fmt::join(sum.distances, " "));
      if (sum.uncertain)
        text += fmt::format(", {} of them not certain", sum.uncertain);
      lines.push_back(text);
    }
    lines.insert(lines.end(), unordered.begin(), unordered.end());
    std::vector<std::vector<std::string>> rows;
    for (const std::string &text : lines)
      rows.push_back({text});
    if (!rows.empty())
      limitedTable("depends", rows);
    if (!facts.dependences().leftOut().empty())
      page.more(facts.dependences().leftOut());
  }

  void reuse() {
    std::vector<std::vector<std::string>> rows;
    for (const Reuse &r : facts.reuse.all()) {
      const Access &first = facts.accesses->all()[r.first], &second = facts.accesses->all()[r.second];
      std::string what =
          r.kind == Reuse::Kind::Self
              ? fmt::format("{} by all threads along {}", first.text, dimensionName(r.dimension))
              : fmt::format("{} and {}, {} apart along {}", first.text, second.text, r.distance,
                            dimensionName(r.dimension)) +
                    laterText(r);
      rows.push_back({nameOf(first.array->space), what});
    }
    if (rows.empty())
      return;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    limitedTable("reuse", rows);
  }

  void addOpportunities() {
    for (const bool isOffered : {true, false}) {
      std::vector<std::vector<std::string>> rows;
      for (const Opportunity &each : opportunities)
        if (!each.refusal == isOffered)
          rows.push_back({each.words(), each.text()});
      if (!rows.empty())
        limitedTable(isOffered ? "opportunity" : "not offered", rows);
    }
  }

  void divergence() {
    std::vector<std::vector<std::string>> rows;
    for (const auto &[function, branch] : facts.divergentBranches) {
      std::string cause;
      for (const Step &step : branch->why)
        cause += (cause.empty() ? "" : ", ") + withLine(step);
      rows.push_back({lineOf(branch->location),
                      branchText(branch->kind) + (function.empty() ? "" : " in " + function),
                      branch->level == Level::Warp ? "differs by warp" : "differs by thread", cause});
    }
    if (rows.empty())
      page.line("divergence", "none: no branch differs within a block");
    else
      limitedTable("divergence", rows);
  }

  void live() {
    std::vector<std::vector<std::string>> rows;
    for (const LiveAcross &across : facts.liveAcross) {
      std::vector<std::string> byThread, uniform;
      for (const LiveValue &value : across.values)
        (value.differsByThread() ? byThread : uniform).push_back(value.variable->getNameAsString());
      rows.push_back(
          {lineOf(locationOf(across.barrier)),
           byThread.empty() ? "nothing that differs by thread" : "per thread: " + joinAnd(byThread),
           uniform.empty() ? "" : "uniform: " + joinAnd(uniform)});
    }
    if (!rows.empty())
      limitedTable("live across", rows);
  }

  void registers() {
    page.line("registers", fmt::format("about {} per thread, estimated from {}", facts.registers.registers(),
                                       facts.registers.fromPtx ? "PTX" : "the source"));
    for (const std::string &array : facts.registers.inLocalMemory)
      page.more(fmt::format("'{}' goes to local memory: its subscripts are not constants", array));
    if (!facts.compiled)
      return;
    const KernelResources &true_ = *facts.compiled;
    page.more(fmt::format("{} by ptxas for {}, {}", true_.registers, arch.name,
                          true_.spills() ? fmt::format("spills {} bytes of stores and {} of loads",
                                                       true_.spillStoreBytes, true_.spillLoadBytes)
                                         : "no spills"));
  }

  void occupancy() {
    if (!facts.occupancy) {
      page.line("occupancy", "unknown: give the block size with --block X,Y,Z");
      return;
    }
    const arch::Occupancy &o = *facts.occupancy;
    if (!o.impossible.empty()) {
      page.line("occupancy", fmt::format("cannot be launched on {}: {}", arch.name, o.impossible.front()));
      return;
    }
    std::vector<std::string> limits;
    for (arch::Resource resource : o.limits)
      limits.emplace_back(nameOf(resource));
    const std::string text = fmt::format("{:.0f} % of {}: {} and {} of {} per multiprocessor, limited by {}",
                                         o.percent, arch.name, counted(o.blocksPerSm, "block"),
                                         counted(o.warpsPerSm, "warp"), arch.maxWarpsPerSm, joinAnd(limits));
    page.line("occupancy", facts.dynamicSharedBytes ? text : "at most " + text);
    if (!facts.dynamicSharedBytes)
      page.more("dynamic shared memory of unknown size counts as 0 bytes");
  }

  void findings() {
    const Diagnostics found = facts.findings();
    for (const Diagnostic &d : found.all()) {
      page.line("a bug?", fmt::format("{}: {}", lineOf(d.location), d.text));
      for (const Diagnostic::Note &note : d.notes)
        page.more(fmt::format("{}: {}", lineOf(note.location), note.text));
    }
  }

  void limitedTable(const char *label, std::vector<std::vector<std::string>> rows) {
    size_t left = rows.size() > manyRows ? rows.size() - manyRows : 0;
    rows.resize(rows.size() - left);
    page.table(label, rows);
    if (left)
      page.more(fmt::format("... and {} more (--json has all)", left));
  }

  const KernelFacts &facts;
  const arch::Arch &arch;
  const std::vector<Opportunity> &opportunities;
  Page page;
};

} // namespace

std::string Opportunity::words() const {
  std::string words;
  for (const std::string &argument : arguments) {
    const bool isOneWord = argument.find_first_of(" ;") == std::string::npos;
    words += fmt::format("{}{}{}{}", words.empty() ? "" : " ", isOneWord ? "" : "\"", argument,
                         isOneWord ? "" : "\"");
  }
  return words;
}

std::string Opportunity::text() const {
  if (!refusal) {
    std::vector<std::string> effects;
    for (const auto &[saved, space] :
         {std::pair(sharedLoadsSaved, "shared"), std::pair(globalLoadsSaved, "global")})
      if (const double percent = std::round(100 * saved.value_or(0)); percent != 0)
        effects.push_back(
            fmt::format("{} {:.0f} % of {} loads", percent > 0 ? "saves" : "adds", std::abs(percent), space));
    if (registersAfter)
      effects.push_back(
          fmt::format("needs {} registers per thread instead of {}", *registersAfter, registersBefore));
    return why + (effects.empty() ? "" : ": " + joinAnd(effects));
  }
  return fmt::format("{}{}{}{}", refusal->location.line ? lineOf(refusal->location) + ": " : "",
                     refusal->text, refusal->hint.empty() ? "" : "; ", refusal->hint);
}

std::string analyzeText(const KernelFacts &facts, const arch::Arch &arch,
                        const std::vector<Opportunity> &opportunities) {
  return AnalyzeText(facts, arch, opportunities).text();
}

} // namespace heddle::report
