// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/AnalyzeHtml.h"

#include "analysis/HiddenBarriers.h"
#include "report/KernelWords.h"
#include "report/OccupancyChart.h"
#include "report/RegionTree.h"
#include "report/SourceListing.h"
#include "source/Unit.h"
#include "support/Text.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace heddle::report {
namespace {

using namespace analysis;

/// Of one table; a generated kernel has thousands of accesses, and `--json` has all of them.
constexpr size_t MostRows = 200;

/// Everything on the page about one kernel.
class KernelHtml {
public:
  KernelHtml(const KernelFacts &facts, const arch::Arch &arch)
      : facts(facts), arch(arch), kernel(*facts.kernel) {}

  std::string summary() const {
    std::string out = paragraphHtml(kernel.location.str(), true) + cardsHtml(cards());
    if (facts.launchesDisagree)
      out += noteHtml(fmt::format("The launches in this file differ; block {} of the first one is assumed.",
                                  shapeText(facts.launch.block)));
    if (facts.blockOrigin == BlockOrigin::NotKnown)
      out += noteHtml("The block size is not known; --block X,Y,Z gives it.");
    const Diagnostics findings = facts.findings();
    for (const Diagnostic &finding : findings.all())
      out += noteHtml(fmt::format("line {}: {}", finding.location.line, finding.text), Tone::Bad);
    return out;
  }

  std::string source() {
    addAccesses();
    addDivergence();
    addBarriers();
    addFindings();
    std::string out;
    const unsigned first = kernel.location.line,
                   last = kernel.unit->location(kernel.function->getEndLoc()).line;
    for (auto &[file, listing] : listings) {
      listing.title = file;
      listing.lines = linesOfFile(file);
      if (file == kernel.location.file)
        listing.shown.emplace_back(first, last);
    }
    // The kernel's own file first.
    if (auto own = listings.find(kernel.location.file); own != listings.end())
      out += listingHtml(own->second);
    for (const auto &[file, listing] : listings)
      if (file != kernel.location.file && !listing.lines.empty())
        out += listingHtml(listing);
    return out;
  }

  std::string tree() const { return regionTreeHtml(facts, linesOfFile(kernel.location.file)); }

  std::string occupancy() const {
    std::string out;
    if (facts.occupancy && !facts.occupancy->impossible.empty())
      out += noteHtml(
          fmt::format("It cannot be launched on {}: {}", arch.name, facts.occupancy->impossible.front()),
          Tone::Bad);
    if (!facts.dynamicSharedBytes)
      out +=
          paragraphHtml("The dynamic shared memory is decided at run time and is taken to be 0 here.", true);
    out +=
        occupancyHtml(arch, {unsigned(facts.threadsPerBlock().value_or(0)), facts.registersPerThread(),
                             size_t(facts.staticSharedBytes), size_t(facts.dynamicSharedBytes.value_or(0))});
    for (const std::string &array : facts.registers.inLocalMemory)
      out += noteHtml(fmt::format("'{}' is in local memory: its subscripts are not constants.", array),
                      Tone::Warn);
    return out;
  }

  std::string accesses() const {
    using Column = HtmlTable::Column;
    HtmlTable table;
    table.column("line", Column::Number).column("access").column("memory").column("expression", Column::Code);
    table.column("pattern").column("subscripts", Column::Code);
    std::set<std::vector<std::string>> seen;
    size_t left = 0;
    for (const Access &access : facts.accesses->all()) {
      if (!isTraffic(*access.array))
        continue;
      std::vector<std::string> row = {fmt::to_string(access.location.line), nameOf(access.kind),
                                      nameOf(access.array->space),          access.text,
                                      accessWords(facts, access).text,      subscriptText(access)};
      if (!seen.insert(row).second)
        continue;
      if (seen.size() <= MostRows)
        table.row(row);
      else
        ++left;
    }
    std::string out = table.empty() ? paragraphHtml("None to shared or global memory.") : table.html();
    if (left)
      out += paragraphHtml(fmt::format("{} more accesses: --json has all.", left), true);
    for (const Diagnostic &gap : facts.accesses->gaps())
      out += paragraphHtml(fmt::format("line {}: {}", gap.location.line, gap.text), true);
    return out;
  }

  std::string reuse() const {
    HtmlTable table;
    table.column("memory").column("reuse");
    std::set<std::pair<std::string, std::string>> rows;
    for (const Reuse &each : facts.reuse.all())
      rows.insert({nameOf(facts.accesses->all()[each.first].array->space), reuseText(each)});
    for (const auto &[space, text] : rows)
      table.row({space, text});
    return table.empty() ? "" : table.html();
  }

private:
  std::vector<Card> cards() const {
    std::vector<Card> made;
    made.push_back(launchCard());
    if (facts.occupancy && facts.occupancy->impossible.empty()) {
      std::vector<std::string> limits;
      for (arch::Resource resource : facts.occupancy->limits)
        limits.emplace_back(nameOf(resource));
      made.push_back(
          {"occupancy",
           fmt::format("{}{:.0f} %", facts.dynamicSharedBytes ? "" : "at most ", facts.occupancy->percent),
           fmt::format("{} and {} of {} per SM, limited by {}{}",
                       counted(facts.occupancy->blocksPerSm, "block"),
                       counted(facts.occupancy->warpsPerSm, "warp"), arch.maxWarpsPerSm, joinAnd(limits),
                       facts.dynamicSharedBytes ? "" : "; dynamic shared memory counts as 0 bytes")});
    } else
      made.push_back({"occupancy", facts.occupancy ? "none" : "unknown",
                      facts.occupancy ? "it cannot be launched" : "the block size is not known"});
    made.push_back(registerCard());
    made.push_back({"shared memory",
                    facts.dynamicSharedBytes ? bytesText(facts.staticSharedBytes + *facts.dynamicSharedBytes)
                                             : bytesText(facts.staticSharedBytes) + " + dynamic",
                    "per block"});
    made.push_back({"divergent branches", fmt::to_string(facts.divergentBranches.size()), "within a block",
                    Tone::Plain});
    made.push_back(memoryCard());
    return made;
  }

  Card launchCard() const {
    const auto threads = facts.threadsPerBlock();
    std::string detail = threads ? fmt::format("{}, {}", counted(size_t(*threads), "thread"),
                                               counted(size_t((*threads + 31) / 32), "warp"))
                                 : "size not known";
    if (!facts.launches.empty()) {
      const source::LaunchShape &grid = facts.launches.front()->grid;
      detail += fmt::format("; grid {}, line {}",
                            shapeText({grid.xyz[0].value, grid.xyz[1].value, grid.xyz[2].value}),
                            facts.launches.front()->location.line);
    } else
      detail += "; no launch in this file";
    return {"block", shapeText(facts.launch.block), detail};
  }

  Card registerCard() const {
    if (!facts.compiled)
      return {"registers per thread", fmt::format("about {}", facts.registers.registers()),
              facts.registers.fromPtx ? "estimated from PTX" : "estimated from the source"};
    const KernelResources &counts = *facts.compiled;
    return {"registers per thread", fmt::to_string(counts.registers),
            counts.spills() ? fmt::format("by ptxas; spills: {} bytes stored, {} loaded",
                                          counts.spillStoreBytes, counts.spillLoadBytes)
                            : "by ptxas, no spills",
            counts.spills() ? Tone::Warn : Tone::Plain};
  }

  Card memoryCard() const {
    size_t all = 0, poor = 0;
    std::set<std::pair<unsigned, std::string>> seen;
    for (const Access &access : facts.accesses->all())
      if (isTraffic(*access.array) && seen.insert({access.location.line, access.text}).second) {
        ++all;
        poor += accessWords(facts, access).tone == Tone::Warn;
      }
    return {"memory accesses", fmt::to_string(all),
            poor ? fmt::format("{} not coalesced or with bank conflicts", poor)
                 : "none is known to be inefficient",
            poor ? Tone::Warn : Tone::Plain};
  }

  void remark(const SourceLocation &location, Tone tone, std::string label, std::string text,
              bool isHit = false) {
    if (!location.isKnown() || !location.line)
      return;
    listings[location.file].remarks.push_back(
        {location.line, tone, std::move(label), std::move(text), isHit});
  }

  /// Accesses of a line that reach memory in the same way share a remark.
  void addAccesses() {
    struct Group {
      SourceLocation location;
      Tone tone = Tone::Info;
      std::vector<std::string> texts;
    };
    std::map<std::tuple<std::string, unsigned, std::string, std::string>, Group> groups;
    for (const Access &access : facts.accesses->all()) {
      if (!isTraffic(*access.array))
        continue;
      const AccessWords words = accessWords(facts, access);
      Group &group =
          groups[{access.location.file, access.location.line,
                  fmt::format("{} {}", nameOf(access.array->space), nameOf(access.kind)), words.text}];
      group.location = access.location;
      group.tone = words.tone;
      if (std::find(group.texts.begin(), group.texts.end(), access.text) == group.texts.end())
        group.texts.push_back(access.text);
    }
    for (const auto &[key, group] : groups)
      remark(group.location, group.tone, std::get<2>(key),
             fmt::format("{}{}{}", fmt::join(group.texts, ", "), std::get<3>(key).empty() ? "" : " - ",
                         std::get<3>(key)));
  }

  void addDivergence() {
    for (const auto &[function, branch] : facts.divergentBranches) {
      std::vector<std::string> why;
      for (const Step &step : branch->why)
        why.push_back(withLine(step));
      // A label is followed by a colon, which would be read as part of "?:".
      const bool isOperator = branch->kind == DivergentBranch::Kind::Conditional;
      remark(branch->location, Tone::Warn,
             "divergent " + (isOperator ? "conditional operator" : branchText(branch->kind)),
             fmt::format("differs by {}{}{}", branch->level == Level::Warp ? "warp" : "thread",
                         why.empty() ? "" : ": ", fmt::join(why, ", ")),
             true);
    }
  }

  void addBarriers() {
    for (const Barrier &barrier : facts.regions->barriers()) {
      const DivergentControl *divergent = facts.regions->divergence(barrier);
      std::string text = nameOf(barrier.scope);
      if (barrier.id)
        text += fmt::format(" {}", *barrier.id);
      if (barrier.threads)
        text += fmt::format(", {} threads", *barrier.threads);
      if (divergent)
        text += "; under a condition that differs by thread";
      remark(kernel.unit->location(barrier.statement), divergent ? Tone::Bad : Tone::Info, "barrier",
             text + liveText(barrier.statement));
    }
    for (const HiddenBarrier &hidden : hiddenBarriers(kernel))
      remark(hidden.executedAt, Tone::Info, "barrier",
             fmt::format("{} in {}", hidden.barrier.spelling, hidden.inside));
    for (const EarlyExit &exit : facts.regions->earlyExits())
      remark(exit.location, Tone::Info, "early return",
             fmt::format("before a barrier, uniform over the {}", nameOf(exit.level)));
  }

  std::string liveText(const clang::Stmt *barrier) const {
    for (const LiveAcross &across : facts.liveAcross)
      if (across.barrier == barrier) {
        std::vector<std::string> names;
        for (const LiveValue &value : across.values)
          if (value.differsByThread())
            names.push_back(value.variable->getNameAsString());
        return names.empty() ? "" : fmt::format("; live across, different by thread: {}", joinAnd(names));
      }
    return {};
  }

  void addFindings() {
    const Diagnostics findings = facts.findings();
    for (const Diagnostic &finding : findings.all()) {
      remark(finding.location, Tone::Bad, "finding", finding.text, true);
      for (const Diagnostic::Note &note : finding.notes)
        remark(note.location, Tone::Bad, "note", note.text);
    }
  }

  std::string reuseText(const Reuse &each) const {
    const Access &first = facts.accesses->all()[each.first], &second = facts.accesses->all()[each.second];
    const char dimension = "xyz"[each.dimension];
    if (each.kind == Reuse::Kind::Self)
      return fmt::format("{} is read by all threads along {}", first.text, dimension);
    return fmt::format("{} and {} are the same element for threads {} apart along {}{}", first.text,
                       second.text, std::abs(each.distance), dimension, laterText(each));
  }

  const KernelFacts &facts;
  const arch::Arch &arch;
  const source::Kernel &kernel;
  std::map<std::string, Listing> listings; ///< by file
};

std::string listOf(const std::vector<std::string> &lines) {
  std::string out;
  for (const std::string &line : lines)
    out += fmt::format("<li>{}</li>\n", escaped(line));
  return "<ul>\n" + out + "</ul>\n";
}

} // namespace

AnalyzeHtml::AnalyzeHtml(std::string file, const arch::Arch &arch) : arch(arch) {
  page.verb = "heddle analyze";
  page.title = std::move(file);
  page.subtitle = fmt::format("{} ({}{})", arch.name, arch.generation,
                              arch.deviceName.empty() ? "" : ", " + arch.deviceName);
}

void AnalyzeHtml::add(const KernelFacts &facts, const std::vector<Opportunity> &opportunities) {
  KernelHtml kernel(facts, arch);
  page.add(facts.kernel->name, kernel.summary());
  page.add("Source", kernel.source(), 3);
  page.add("Tree of regions", kernel.tree(), 3);
  page.add("Occupancy", kernel.occupancy(), 3);
  page.add("Accesses", kernel.accesses(), 3);
  if (std::string reuse = kernel.reuse(); !reuse.empty())
    page.add("Reuse between threads", reuse, 3);
  for (const bool isOffered : {true, false}) {
    std::vector<std::string> lines;
    for (const Opportunity &each : opportunities)
      if (!each.refusal == isOffered)
        lines.push_back(fmt::format("{}: {}", each.words(), each.text()));
    if (!lines.empty())
      page.add(isOffered ? "Opportunities" : "Not offered", listOf(lines), 3);
  }
}

} // namespace heddle::report
