// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/TunePage.h"

#include "report/LineDiff.h"
#include "report/Svg.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using tune::Report;
using Entry = Report::Entry;
using runner::Status;

const char *const style = R"(
:root { --ink: #1c2430; --soft: #5d6b7e; --paper: #fbfaf7; --card: #ffffff; --line: #dfe3e8; --thread: #b4451f; --good: #23704a;
  --bad: #a33a3a; --add: #e4f3e8; --del: #fbe6e4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa7b8; --paper: #14181f; --card: #1b212b; --line: #323b49;
  --thread: #f08a5d; --good: #6cc495; --bad: #ee8d86; --add: #173526; --del: #40201f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 32px 20px 80px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 28px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 40px 0 10px; }
.soft { color: var(--soft); } .big { font-size: 44px; font-weight: 650; color: var(--thread); line-height: 1.1; }
.cards { display: flex; flex-wrap: wrap; gap: 14px; margin-top: 18px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; flex: 1 1 150px; }
.note { border-left: 4px solid var(--thread); padding: 8px 14px; background: var(--card); margin-top: 18px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
svg text.x { text-anchor: middle; } svg text.y { text-anchor: end; dominant-baseline: middle; } svg text.name { font-size: 13px; }
.axis { stroke: var(--soft); fill: none; } .grid { stroke: var(--line); } .steps { stroke: var(--thread); stroke-width: 2; fill: none; }
circle { fill: var(--soft); fill-opacity: .65; } circle.winner { fill: var(--thread); fill-opacity: 1; }
circle.original { fill: var(--good); fill-opacity: 1; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.winner td { background: var(--add); } tr.failed td { color: var(--bad); }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { margin: 0; } pre span { display: block; padding: 0 12px; white-space: pre; }
pre .add { background: var(--add); } pre .del { background: var(--del); } pre .gap { color: var(--soft); }
)";

std::string section(std::string_view title, std::string_view inside) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, inside);
}

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
               : "no kernel launched";
}

class TunePage {
public:
  explicit TunePage(const Report &report) : report(report) {}

  std::string text() {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}, tuned</title>\n<style>{1}</style>\n<body>\n{2}{3}{4}{5}{6}{7}</body>\n</html>\n",
        escaped(report.program), style, head(), overTime(), byOccupancy(), changes(), candidates(), space());
  }

private:
  bool isWinner(const Entry &entry) const { return &entry == report.winner(); }
  bool isOriginal(const Entry &entry) const { return &entry == &report.entries.front(); }
  std::string kindOf(const Entry &entry) const {
    return isWinner(entry) ? "winner" : isOriginal(entry) ? "original" : "candidate";
  }
  static std::string card(std::string_view name, std::string_view text) {
    return fmt::format("<div class=\"card\"><div class=\"soft\">{}</div>{}</div>\n", name, text);
  }

  std::string head() const {
    std::string out = fmt::format(
        "<h1>{}</h1>\n<div class=\"soft\">heddle tune{}, on {}</div>\n", escaped(report.program),
        report.arguments.empty() ? "" : " -- " + escaped(report.arguments), escaped(report.device));
    if (report.predicted)
      out += "<div class=\"note\">Times on this page are a model's prediction: no GPU was measured.</div>\n";
    if (std::string warning = report.warning(); !warning.empty())
      out += fmt::format("<div class=\"note\">Warning: {}.</div>\n", escaped(warning));
    const auto failed = size_t(std::count_if(report.entries.begin(), report.entries.end(),
                                             [](const Entry &entry) { return !wasMeasured(entry); }));
    std::string cards;
    if (const Entry *winner = report.winner()) {
      cards += card("speed-up", fmt::format("<div class=\"big\">{:.2f}</div>{} after {}", report.speedup(),
                                            microsText(winner->evaluation.result.micros),
                                            microsText(report.original().evaluation.result.micros)));
      cards += card("winner", fmt::format("<code>{}</code><br>{}", escaped(winner->evaluation.recipe.str()),
                                          needsText(*winner)));
      cards += card("original", needsText(report.original()));
    } else
      cards += card("winner", "none: nothing could be measured");
    cards += card("search", fmt::format("{} of {}, {}{}<br>{:.1f} s, {} from the cache<br>{} not measured",
                                        counted(report.entries.size(), "candidate"), report.spaceSize,
                                        escaped(report.strategy),
                                        report.budget.empty() ? "" : ", budget " + escaped(report.budget),
                                        report.seconds, report.fromCache, failed));
    return out + "<div class=\"cards\">\n" + cards + "</div>\n";
  }

  std::string title(const Entry &entry) const {
    return fmt::format("{}: {}, {}", entry.evaluation.recipe.str(),
                       microsText(entry.evaluation.result.micros), needsText(entry));
  }

  std::string overTime() const {
    Chart chart{"candidates tried", report.predicted ? "microseconds, predicted" : "microseconds", {}, {}};
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
    return section("Every candidate, and the best so far",
                   "<figure>" + svg(chart) +
                       "<figcaption class=\"soft\">Green: the original. Coloured: the winner. The line is "
                       "the best up to there."
                       "</figcaption></figure>\n");
  }

  std::string byOccupancy() const {
    Chart chart{"occupancy, percent", report.predicted ? "microseconds, predicted" : "microseconds", {}, {}};
    for (const Entry &entry : report.entries)
      if (const std::optional<Needs> needs = needsOf(entry); needs && wasMeasured(entry))
        chart.points.push_back(
            {needs->occupancy, entry.evaluation.result.micros, kindOf(entry), title(entry)});
    return chart.points.empty() ? ""
                                : section("Time against occupancy", "<figure>" + svg(chart) + "</figure>\n");
  }

  std::string changes() const {
    const std::vector<DiffLine> lines = lineDiff(report.originalText, report.winnerText);
    if (!report.winner() || lines.empty())
      return section("What the winner changes", "<p>Nothing in the text.</p>\n");
    std::string out;
    for (const DiffLine &line : lines) {
      const char *kind = line.kind == DiffLine::Kind::Added     ? " class=\"add\""
                         : line.kind == DiffLine::Kind::Removed ? " class=\"del\""
                         : line.kind == DiffLine::Kind::Gap     ? " class=\"gap\""
                                                                : "";
      out += fmt::format("<span{}>{} {}</span>", kind, char(line.kind), escaped(line.text));
    }
    return section("What the winner changes", "<figure class=\"scroll\"><pre>" + out + "</pre></figure>\n");
  }

  std::string row(const Entry &entry) const {
    const runner::Result &result = entry.evaluation.result;
    const std::string name = fmt::format("<td><code>{}</code></td>", escaped(entry.evaluation.recipe.str()));
    if (!wasMeasured(entry))
      return fmt::format("<tr class=\"failed\">{}<td colspan=\"7\">{}: {}</td></tr>\n", name,
                         runner::nameOf(result.status), escaped(result.reason));
    const std::optional<Needs> needs = needsOf(entry);
    auto number = [](const std::string &text) { return fmt::format("<td class=\"n\">{}</td>", text); };
    const double spread = result.micros > 0 ? 100 * (result.q3 - result.q1) / result.micros : 0;
    return fmt::format(
        "<tr class=\"{}\">{}{}{}{}{}{}{}<td>{}</td></tr>\n", kindOf(entry), name,
        number(microsText(result.micros)), number(result.predicted ? "-" : fmt::format("{:.1f} %", spread)),
        number(fmt::format("{:.2f}", report.original().evaluation.result.micros / result.micros)),
        number(needs ? fmt::format("{}", needs->registers) : "-"),
        number(needs ? fmt::format("{}", needs->spillBytes) : "-"),
        number(needs ? fmt::format("{:.0f} %", needs->occupancy) : "-"),
        entry.evaluation.sameAs.empty() ? "" : "the same program as another");
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
    std::string rows;
    for (const Entry *entry : sorted)
      rows += row(*entry);
    return section(
        "All results",
        "<div class=\"scroll\"><table>\n<tr><th>recipe</th><th class=\"n\">time</th><th class=\"n\">spread"
        "</th><th class=\"n\">speed-up</th><th class=\"n\">registers</th><th class=\"n\">spilled</th><th "
        "class=\"n\">occupancy</th><th></th></tr>\n" +
            rows + "</table></div>\n");
  }

  std::string space() const {
    std::string rows;
    for (const tune::Dimension &dimension : report.dimensions)
      rows += fmt::format("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escaped(dimension.name),
                          escaped(fmt::format("{}", fmt::join(dimension.values, ", "))));
    return section("The space",
                   fmt::format("<p><code>{}</code></p>\n<table>\n{}</table>\n",
                               escaped(fmt::format("{}", fmt::join(report.spaceText, " "))), rows));
  }

  const Report &report;
};

} // namespace

std::string tunePage(const Report &report) { return TunePage(report).text(); }

} // namespace heddle::report
