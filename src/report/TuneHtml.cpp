// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/TuneHtml.h"

#include "report/Html.h"
#include "report/SourceListing.h"
#include "report/Svg.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using tune::Report;
using Entry = Report::Entry;
using runner::Status;

bool wasMeasured(const Entry &entry) { return entry.evaluation.result.status == Status::Measured; }

std::string microsText(double micros) {
  return micros >= 1e5 ? fmt::format("{:.1f} ms", micros / 1e3) : fmt::format("{:.4g} us", micros);
}

/// What a candidate's kernels need at most; nothing where none was launched.
struct Needs {
  unsigned registers = 0;
  uint64_t spillBytes = 0;
  double occupancy = 0;
};
std::optional<Needs> needsOf(const Entry &entry) {
  const auto &kernels = entry.evaluation.result.kernels;
  if (kernels.empty())
    return std::nullopt;
  Needs needs;
  needs.occupancy = kernels.front().occupancy;
  for (const runner::KernelTime &kernel : kernels) {
    needs.registers = std::max(needs.registers, kernel.registers);
    needs.spillBytes = std::max(needs.spillBytes, kernel.spillBytes);
    needs.occupancy = std::min(needs.occupancy, kernel.occupancy);
  }
  return needs;
}

std::string needsText(const Entry &entry) {
  const std::optional<Needs> needs = needsOf(entry);
  return needs ? fmt::format("{} registers, {} bytes spilled, {:.0f} % occupancy", needs->registers,
                             needs->spillBytes, needs->occupancy)
               : "no kernel was launched";
}

class TuneHtml {
public:
  explicit TuneHtml(const Report &report) : report(report) {}

  std::string text() {
    HtmlPage page;
    page.verb = "heddle tune";
    page.title = report.program;
    page.subtitle = fmt::format("{}{}", report.device,
                                report.arguments.empty() ? "" : ", arguments: " + report.arguments);
    page.summary = summary();
    if (!report.kernels.empty())
      page.add("Kernels", kernels());
    page.add("Candidates over the search", overTime());
    if (std::string chart = byOccupancy(); !chart.empty())
      page.add("Time against occupancy", chart);
    page.add("What the winner changes", changes());
    page.add("All candidates", candidates());
    page.add("Search space", space());
    return page.html();
  }

private:
  bool isWinner(const Entry &entry) const { return &entry == report.winner(); }
  bool isBaseline(const Entry &entry) const { return &entry == &report.entries.front(); }
  bool baselineWins() const { return report.winner() && isBaseline(*report.winner()); }
  std::string kindOf(const Entry &entry) const {
    return isBaseline(entry) ? (isWinner(entry) ? "baseline winner" : "baseline")
           : isWinner(entry) ? "winner"
                             : "candidate";
  }
  const char *timeAxis() const { return report.predicted ? "microseconds, predicted" : "microseconds"; }

  std::string summary() const {
    std::string out;
    if (report.predicted)
      out += noteHtml("Times on this page are predicted by the cost model: no GPU was measured.");
    if (std::string warning = report.warning(); !warning.empty())
      out += noteHtml("Warning: " + warning + ".", Tone::Warn);
    return out + cardsHtml(cards());
  }

  std::vector<Card> cards() const {
    std::vector<Card> made;
    if (const Entry *winner = report.winner()) {
      const std::string best = microsText(winner->evaluation.result.micros),
                        before = microsText(report.baseline().evaluation.result.micros);
      if (baselineWins())
        made.push_back(
            {"speed-up", "none", fmt::format("no candidate beat the baseline: {}", best), Tone::Plain, true});
      else
        made.push_back({"speed-up", fmt::format("{:.2f}x", report.speedup()),
                        fmt::format("{}, down from {}", best, before), Tone::Plain, true});
      made.push_back({"winner", winner->evaluation.configuration.str(), needsText(*winner)});
      if (!baselineWins())
        made.push_back({"baseline", before, needsText(report.baseline())});
    } else
      made.push_back({"winner", "none: nothing could be measured", ""});
    const auto failed = size_t(std::count_if(report.entries.begin(), report.entries.end(),
                                             [](const Entry &entry) { return !wasMeasured(entry); }));
    made.push_back({"search",
                    fmt::format("{} of {}", counted(report.entries.size(), "candidate"), report.spaceSize),
                    fmt::format("{}{}; {:.1f} s, {} from the cache; {} not measured", report.strategy,
                                report.budget.empty() ? "" : ", budget " + report.budget, report.seconds,
                                report.fromCache, failed)});
    return made;
  }

  /// Of a program of which several are tuned; the rest of the page is about the first.
  std::string kernels() const {
    using Column = HtmlTable::Column;
    HtmlTable table;
    table.column("kernel", Column::Code);
    table.column(report.kernels.front().isOfTime ? "% of time" : "% of instructions", Column::Number);
    table.column("launches", Column::Number);
    table.column("one launch", Column::Number).column("best", Column::Number);
    table.column("speed-up", Column::Number).column("configuration", Column::Code);
    for (const Report::Kernel &kernel : report.kernels) {
      const bool isTuned = kernel.whyNot.empty();
      table.row({kernel.name, fmt::format("{:.1f}", 100 * kernel.share), fmt::format("{}", kernel.launches),
                 isTuned ? microsText(kernel.baselineMicros) : "-",
                 isTuned ? microsText(kernel.bestMicros) : "-",
                 isTuned ? fmt::format("{:.2f}", kernel.baselineMicros / kernel.bestMicros) : "-",
                 isTuned ? kernel.best : "not tuned: " + kernel.whyNot});
    }
    return table.html() + paragraphHtml("Other sections are about " + report.kernels.front().name + ".");
  }

  std::string title(const Entry &entry) const {
    return fmt::format("{}: {}, {}", entry.evaluation.configuration.str(),
                       microsText(entry.evaluation.result.micros), needsText(entry));
  }

  /// The marks that the charts have, no others.
  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> made;
    if (baselineWins())
      made.push_back({"baseline winner", "baseline, the fastest"});
    else {
      if (report.winner())
        made.push_back({"winner", "winner"});
      if (!report.entries.empty() && wasMeasured(report.baseline()))
        made.push_back({"baseline", "baseline"});
    }
    if (std::any_of(report.entries.begin(), report.entries.end(), [this](const Entry &entry) {
          return wasMeasured(entry) && kindOf(entry) == "candidate";
        }))
      made.push_back({"candidate", "candidate"});
    return made;
  }

  std::string overTime() const {
    Chart chart{"candidate, in the order of the search", timeAxis(), {}, {}};
    chart.countsOnX = true;
    double place = 0;
    for (const Entry &entry : report.entries) {
      ++place;
      if (wasMeasured(entry))
        chart.points.push_back({place, entry.evaluation.result.micros, kindOf(entry), title(entry)});
      if (entry.bestMicros)
        chart.steps.push_back({place, *entry.bestMicros, {}, {}});
    }
    std::stable_partition(chart.points.begin(), chart.points.end(),
                          [](const auto &point) { return point.kind == "candidate"; });
    std::vector<LegendEntry> entries = legend();
    if (chart.steps.size() > 1)
      entries.push_back({"steps", "best so far"});
    return figureHtml(chart, entries, "");
  }

  std::string byOccupancy() const {
    Chart chart{"occupancy, percent", timeAxis(), {}, {}};
    for (const Entry &entry : report.entries)
      if (const std::optional<Needs> needs = needsOf(entry); needs && wasMeasured(entry))
        chart.points.push_back(
            {needs->occupancy, entry.evaluation.result.micros, kindOf(entry), title(entry)});
    std::stable_partition(chart.points.begin(), chart.points.end(),
                          [](const auto &point) { return point.kind == "candidate"; });
    return chart.points.empty() ? "" : figureHtml(chart, legend(), "");
  }

  std::string changes() const {
    if (!report.winner() || baselineWins())
      return paragraphHtml("Nothing: no candidate beat the baseline.");
    return diffHtml(report.baselineText, report.winnerText, report.program,
                    "Nothing in the source: the winner differs in the launch or in compiler flags.");
  }

  void addRow(HtmlTable &table, const Entry &entry) const {
    const runner::Result &result = entry.evaluation.result;
    if (!wasMeasured(entry)) {
      table.spanningRow(entry.evaluation.configuration.str(),
                        fmt::format("{}: {}", runner::nameOf(result.status), result.reason), "failed");
      return;
    }
    const std::optional<Needs> needs = needsOf(entry);
    const double spread = result.micros > 0 ? 100 * (result.q3 - result.q1) / result.micros : 0;
    table.row({entry.evaluation.configuration.str(), microsText(result.micros),
               result.predicted ? "-" : fmt::format("{:.1f} %", spread),
               fmt::format("{:.2f}", report.baseline().evaluation.result.micros / result.micros),
               needs ? fmt::format("{}", needs->registers) : "-",
               needs ? fmt::format("{}", needs->spillBytes) : "-",
               needs ? fmt::format("{:.0f} %", needs->occupancy) : "-",
               entry.evaluation.sameAs.empty() ? "" : "identical to another candidate"},
              kindOf(entry));
  }

  std::string candidates() const {
    std::vector<const Entry *> sorted;
    for (const Entry &entry : report.entries)
      sorted.push_back(&entry);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Entry *a, const Entry *b) {
      return wasMeasured(*a) != wasMeasured(*b)
                 ? wasMeasured(*a)
                 : wasMeasured(*a) && a->evaluation.result.micros < b->evaluation.result.micros;
    });
    using Column = HtmlTable::Column;
    HtmlTable table;
    table.column("configuration", Column::Code).column("time", Column::Number);
    table.column("spread", Column::Number).column("speed-up", Column::Number);
    table.column("registers", Column::Number).column("bytes spilled", Column::Number);
    table.column("occupancy", Column::Number).column("");
    for (const Entry *entry : sorted)
      addRow(table, *entry);
    return table.html();
  }

  std::string space() const {
    HtmlTable table;
    table.column("dimension", HtmlTable::Column::Code).column("values");
    for (const tune::Dimension &dimension : report.dimensions)
      table.row({dimension.name, fmt::format("{}", fmt::join(dimension.values, ", "))});
    return fmt::format("<p><code>{}</code></p>\n{}",
                       escaped(fmt::format("{}", fmt::join(report.spaceText, " "))), table.html());
  }

  const Report &report;
};

} // namespace

std::string tuneHtml(const Report &report) { return TuneHtml(report).text(); }

} // namespace heddle::report
