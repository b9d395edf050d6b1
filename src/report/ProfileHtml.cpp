// SPDorigin.isMeasured() ? "counted on " + profile.origin.device : "run on the simulator"-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/ProfileHtml.h"

#include "report/OccupancyChart.h"
#include "report/Roofline.h"
#include "report/SourceListing.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::report {
namespace {

using namespace divergence;
using Column = HtmlTable::Column;

constexpr unsigned WarpSize = 32;
/// Of the table of basic blocks; `--json` and `--bbv` have all.
constexpr size_t MostBlocks = 100;

std::string ofAllInWords(uint64_t part, uint64_t all) {
  return fmt::format("{} of {} ({})", inWords(part), inWords(all),
                     percentText(all ? double(part) / double(all) : 0));
}
std::string dimensions(const uint32_t (&size)[3]) {
  return size[2] != 1   ? fmt::format("{} x {} x {}", size[0], size[1], size[2])
         : size[1] != 1 ? fmt::format("{} x {}", size[0], size[1])
                        : fmt::to_string(size[0]);
}
std::string lineText(const SourceLocation &location) {
  return !location.isKnown() ? "(no source line)"
         : location.line     ? fmt::format("{}:{}", location.file, location.line)
                             : location.file;
}

/// A basic block, all launches of the kernel together.
struct BlockSums {
  SourceLocation location;
  uint64_t entries = 0, lanes = 0; ///< warps, or parts of them, that executed it; their threads
  uint64_t instructions = 0;       ///< of one execution

  double activeLanes() const { return entries ? double(lanes) / double(entries) : 0; }
  double warpInstructions() const { return double(entries) * double(instructions); }
};

/// The two are one memory, and the model has one limit for them.
std::string limitText(model::Limit limit) {
  return limit == model::Limit::SharedMemory ? "shared memory and L1" : model::nameOf(limit);
}

class ProfiledKernel {
public:
  ProfiledKernel(const ProfileOfProgram &profile, size_t index, const ProgramProfile &launches)
      : profile(profile), kernel(profile.kernels[index]) {
    for (const LaunchProfile &launch : launches.launches)
      if (launch.kernel == kernel.kernel)
        add(launch);
    if (auto found = profile.estimates.find(kernel.kernel); found != profile.estimates.end())
      estimate = &found->second;
  }

  std::string summary() const {
    std::vector<Card> cards;
    cards.push_back({"launches", inWords(kernel.launches),
                     fmt::format("grid {}, block {}{}", dimensions(kernel.grid), dimensions(kernel.block),
                                 kernel.skippedLaunches
                                     ? fmt::format("; {} more were not profiled", kernel.skippedLaunches)
                                     : "")});
    cards.push_back({"lane slots lost", percentText(kernel.lostShare),
                     kernel.absentShare > 0 ? fmt::format("{} to warps with fewer than 32 threads",
                                                          percentText(kernel.absentShare))
                                            : "to divergence"});
    cards.push_back({"divergent branches", percentText(share(kernel.divergentBranches, kernel.branches)),
                     ofAllInWords(kernel.divergentBranches, kernel.branches)});
    cards.push_back({"divergent warps", percentText(share(kernel.divergentWarps, kernel.warps)),
                     ofAllInWords(kernel.divergentWarps, kernel.warps)});
    if (kernel.globalRequests)
      cards.push_back({"global memory",
                       fmt::format("{:.1f}", double(kernel.globalSectors) / double(kernel.globalRequests)),
                       "sectors of 32 bytes per request"});
    if (estimate)
      cards.push_back({"bound by", limitText(estimate->sum.limit),
                       estimate->sum.isMemoryBound() ? "memory-bound, predicted" : "predicted"});
    return cardsHtml(cards);
  }

  std::string source() const {
    std::map<std::string, Listing> listings;
    addNumbers(listings);
    addBranches(listings);
    std::string out = paragraphHtml(
        "Executions by warps are counted at the first line of each basic block. Active lanes: the "
        "mean of 32. Slots lost: of all lane slots of the kernel, empty because lanes diverged at "
        "this line.",
        true);
    size_t others = 0;
    for (auto &[file, listing] : listings) {
      listing.title = file;
      listing.lines = file.starts_with("/usr/") ? std::vector<std::string>() : linesOfFile(file);
      if (listing.lines.empty())
        ++others;
      else
        out += listingHtml(listing);
    }
    if (others)
      out += paragraphHtml(
          fmt::format("{} of the system or the toolkit: not shown.", counted(others, "header")), true);
    return out;
  }

  std::string blocks() const {
    HtmlTable table;
    table.column("block", Column::Number).column("first line").column("warp executions", Column::Number);
    table.column("active lanes", Column::Number).column("instructions", Column::Number);
    table.column("of all issued", Column::Number);
    const double all = std::accumulate(sums.begin(), sums.end(), 0.0, [](double sum, const BlockSums &block) {
      return sum + block.warpInstructions();
    });
    for (size_t b = 0; b < sums.size() && b < MostBlocks; ++b)
      table.row({fmt::to_string(b), lineText(sums[b].location), inWords(sums[b].entries),
                 sums[b].entries ? fmt::format("{:.1f}", sums[b].activeLanes()) : "-",
                 fmt::to_string(sums[b].instructions),
                 percentText(all > 0 ? sums[b].warpInstructions() / all : 0)});
    std::string out = paragraphHtml(
        fmt::format("{} threads, {} distinct basic-block vectors over {} basic blocks.",
                    inWords(kernel.threads), inWords(kernel.distinctVectors), kernel.basicBlocks));
    out += table.html();
    if (sums.size() > MostBlocks)
      out +=
          paragraphHtml(fmt::format("{} more basic blocks: --json has all.", sums.size() - MostBlocks), true);
    return out;
  }

  std::string bounds() const {
    if (!estimate || !estimate->sum.impossible.empty())
      return paragraphHtml("The cost model has no estimate for this kernel.");
    const model::Estimate &sum = estimate->sum;
    double most = 0;
    for (double micros : sum.microsBy)
      most = std::max(most, micros);
    std::string rows;
    for (unsigned i = 0; i < model::Limits; ++i)
      rows += fmt::format(
          "<tr{}><td>{}</td><td class=\"n\">{:.2f} us</td><td class=\"bar\"><span style=\"width:{:.1f}%\">"
          "</span></td></tr>\n",
          model::Limit(i) == sum.limit ? " class=\"most\"" : "", limitText(model::Limit(i)), sum.microsBy[i],
          most > 0 ? 100 * sum.microsBy[i] / most : 0);
    return paragraphHtml(fmt::format(
               "What each limit alone would take on {}, predicted for {} at a size that fills the "
               "device; together {:.2f} us.",
               deviceName(), counted(estimate->launches, "launch", "launches"), sum.micros)) +
           fmt::format("<table class=\"wide\"><thead><tr><th scope=\"col\">limit</th><th scope=\"col\" "
                       "class=\"n\">time</th>"
                       "<th scope=\"col\"></th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
                       rows);
  }

  std::string roofline() const {
    return estimate ? rooflineHtml(profile.arch, {estimate->operations, estimate->sum.dramBytes,
                                                  estimate->sum.l2Bytes, estimate->sum.micros, true})
                    : "";
  }

  std::string occupancy() const {
    return paragraphHtml(fmt::format("{} and {} of {} per SM: {:.0f} %.",
                                     counted(kernel.occupancy.blocksPerSm, "block"),
                                     counted(kernel.occupancy.warpsPerSm, "warp"), profile.arch.maxWarpsPerSm,
                                     kernel.occupancy.percent)) +
           occupancyHtml(profile.arch, {kernel.block[0] * kernel.block[1] * kernel.block[2], kernel.registers,
                                        size_t(staticSharedBytes), size_t(dynamicSharedBytes)});
  }

  std::string regrouping() const {
    HtmlTable table;
    table.column("algorithm").column("speed-up, scheduled cycles", Column::Number);
    table.column("speed-up, weighted cycles", Column::Number).column("lane slots lost", Column::Number);
    table.column("divergent warps", Column::Number);
    auto add = [&](const std::string &name, const RegroupEstimate &made) {
      table.row({name, ratio(kernel.scheduled, made.scheduled), ratio(kernel.weighted, made.weighted),
                 percentText(made.lostShare), inWords(made.divergentWarps)});
    };
    for (const RegroupEstimate &made : kernel.regrouped)
      add(std::string(nameOf(made.algorithm)), made);
    if (kernel.byPrediction.scheduled > 0)
      add("greedy-max on predicted vectors", kernel.byPrediction);
    return table.empty() || kernel.lostShare <= 0
               ? ""
               : paragraphHtml("Threads in another order, by the model; nothing was run again.") +
                     table.html();
  }

private:
  static double share(uint64_t part, uint64_t all) { return all ? double(part) / double(all) : 0; }
  static std::string ratio(double before, double after) {
    return after > 0 ? fmt::format("{:.2f}", before / after) : "-";
  }
  std::string deviceName() const {
    return profile.arch.deviceName.empty() ? profile.arch.name : profile.arch.deviceName;
  }

  void add(const LaunchProfile &launch) {
    if (sums.empty())
      staticSharedBytes = launch.staticSharedBytes, dynamicSharedBytes = launch.dynamicSharedBytes;
    sums.resize(std::max(sums.size(), launch.blocks.size()));
    for (size_t b = 0; b < launch.blocks.size(); ++b) {
      const CodeBlock &block = launch.blocks[b];
      sums[b].location = block.location;
      sums[b].entries += block.entries, sums[b].lanes += block.lanes;
      sums[b].instructions = 0;
      for (const auto &[cls, count] : block.instructions)
        sums[b].instructions += cls == NoInstruction ? 0 : count;
    }
  }

  void addNumbers(std::map<std::string, Listing> &listings) const {
    struct Line {
      uint64_t entries = 0, lanes = 0;
      double issued = 0, lost = 0;
    };
    std::map<std::pair<std::string, unsigned>, Line> lines;
    for (const BlockSums &block : sums)
      if (block.location.isKnown() && block.location.line && block.entries) {
        Line &line = lines[{block.location.file, block.location.line}];
        line.entries += block.entries, line.lanes += block.lanes, line.issued += block.warpInstructions();
      }
    for (const LineLoss &loss : kernel.lines)
      if (loss.location.isKnown() && loss.location.line && loss.share > 0)
        lines[{loss.location.file, loss.location.line}].lost += loss.share;
    double mostIssued = 0, mostLost = 0;
    for (const auto &[at, line] : lines)
      mostIssued = std::max(mostIssued, line.issued), mostLost = std::max(mostLost, line.lost);
    for (const auto &[at, line] : lines) {
      Listing &listing = listings[at.first];
      listing.columns = {"executions", "active lanes", "slots lost"};
      const double active = line.entries ? double(line.lanes) / double(line.entries) : WarpSize;
      listing.numbers[at.second] = {
          {line.entries ? inWords(line.entries) : "", mostIssued > 0 ? line.issued / mostIssued : 0},
          {line.entries ? fmt::format("{:.1f}", active) : "", 1 - active / WarpSize},
          {line.lost > 0 ? percentText(line.lost) : "", mostLost > 0 ? line.lost / mostLost : 0}};
    }
  }

  void addBranches(std::map<std::string, Listing> &listings) const {
    for (const LineLoss &line : kernel.lines)
      if (line.divergent && line.location.isKnown() && line.location.line)
        listings[line.location.file].remarks.push_back(
            {line.location.line, Tone::Warn, "divergent branch",
             fmt::format("diverged in {} executions, {} of all lane slots lost",
                         ofAllInWords(line.divergent, line.executions), percentText(line.share))});
  }

  const ProfileOfProgram &profile;
  const KernelSummary &kernel;
  const counts::KernelEstimate *estimate = nullptr;
  std::vector<BlockSums> sums;
  uint64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
};

} // namespace

std::string profileHtml(const std::string &program, const ProfileOfProgram &profile,
                        const ProgramProfile &launches) {
  HtmlPage page;
  page.verb = "heddle profile";
  page.title = program;
  page.subtitle = fmt::format("{}; {} ({}{})",
                              profile.origin.isMeasured() ? "counted on " + profile.origin.device
                                                          : "run on the simulator",
                              profile.arch.name, profile.arch.generation,
                              profile.arch.deviceName.empty() ? "" : ", " + profile.arch.deviceName);
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const ProfiledKernel kernel(profile, i, launches);
    page.add(profile.names[i], kernel.summary());
    page.add("Source", kernel.source(), 3);
    page.add("What it is bound by", kernel.bounds(), 3);
    if (std::string roofline = kernel.roofline(); !roofline.empty())
      page.add("Roofline", roofline, 3);
    page.add("Occupancy", kernel.occupancy(), 3);
    page.add("Basic blocks", kernel.blocks(), 3);
    if (std::string regrouping = kernel.regrouping(); !regrouping.empty())
      page.add("Regrouped threads", regrouping, 3);
  }
  return page.html();
}

} // namespace heddle::report
