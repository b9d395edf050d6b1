// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/CheckHtml.h"

#include "report/SourceListing.h"
#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace heddle::report {
namespace {

using check::Decision;
using check::Finding;

/// Something at a location: a side of a finding, or why something is undecided.
struct Side {
  SourceLocation location;
  Tone tone = Tone::Info;
  std::string label, text;
};

class SourceFiles {
public:
  const std::vector<std::string> &lines(const std::string &file) {
    auto [found, isNew] = known.try_emplace(file);
    if (isNew)
      found->second = linesOfFile(file);
    return found->second;
  }

private:
  std::map<std::string, std::vector<std::string>> known;
};

/// The source around all sides, file by file in the order they are named.
std::string sidesHtml(const std::vector<Side> &sides, SourceFiles &files) {
  std::vector<Listing> listings;
  for (const Side &side : sides) {
    if (!side.location.isKnown() || !side.location.line ||
        files.lines(side.location.file).size() < side.location.line)
      continue;
    auto found = std::ranges::find(listings, side.location.file, &Listing::title);
    if (found == listings.end()) {
      listings.push_back({side.location.file, files.lines(side.location.file)});
      found = listings.end() - 1;
    }
    found->remarks.push_back({side.location.line, side.tone, side.label, side.text, true});
  }
  std::string out;
  for (const Listing &listing : listings)
    out += listingHtml(listing);
  return out;
}

std::vector<Side> sidesOf(const Finding &finding) {
  std::vector<Side> sides = {{finding.location, Tone::Bad, std::string(idOf(finding.rule)), finding.text}};
  for (const Finding::Note &note : finding.notes)
    sides.push_back({note.location, Tone::Bad, "the other side", note.text});
  return sides;
}

/// What has no line to be shown at.
std::string placelessNotes(const std::vector<Finding::Note> &notes) {
  std::string out;
  for (const Finding::Note &note : notes)
    if (!note.location.isKnown())
      out += paragraphHtml(note.text);
  return out;
}

std::string findingHtml(const Finding &finding, size_t number, SourceFiles &files) {
  std::string where = finding.location.isKnown() ? finding.location.str() : "";
  if (!finding.kernel.empty())
    where += fmt::format("{}kernel {}", where.empty() ? "" : ", ", finding.kernel);
  if (finding.times > 1)
    where += fmt::format("{}seen {} times", where.empty() ? "" : ", ", inWords(finding.times));
  return fmt::format("<article id=\"finding-{}\">\n<h4>{} {}</h4>\n", number,
                     tagHtml(nameOf(classOf(finding.rule)), Tone::Bad), escaped(finding.text)) +
         paragraphHtml(where, true) + sidesHtml(sidesOf(finding), files) + placelessNotes(finding.notes) +
         (finding.hint.empty() ? "" : noteHtml("Hint: " + finding.hint)) + "</article>\n";
}

std::string findingsHtml(const std::vector<Finding> &findings, SourceFiles &files) {
  std::string out;
  for (size_t i = 0; i < findings.size(); ++i)
    out += findingHtml(findings[i], i + 1, files);
  return out;
}

/// Rules that were violated, with what they mean.
std::string rulesHtml(const std::vector<Finding> &findings) {
  std::map<check::Rule, size_t> counts;
  for (const Finding &finding : findings)
    ++counts[finding.rule];
  HtmlTable table;
  table.column("rule", HtmlTable::Column::Code)
      .column("findings", HtmlTable::Column::Number)
      .column("meaning");
  for (const auto &[rule, count] : counts)
    table.row({std::string(idOf(rule)), fmt::to_string(count), std::string(aboutOf(rule))});
  return table.html();
}

Tone toneOf(Decision decision) {
  return decision == Decision::Proved ? Tone::Good : decision == Decision::Violated ? Tone::Bad : Tone::Warn;
}

std::string propertiesHtml(const check::StaticResult &result) {
  std::string rows;
  for (const check::PropertyVerdict &verdict : result.properties)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(nameOf(verdict.property)),
                        tagHtml(nameOf(verdict.decision), toneOf(verdict.decision)),
                        escaped(decisionText(verdict)));
  return fmt::format(
      "<table class=\"wide\"><thead><tr><th scope=\"col\">property</th><th scope=\"col\">decision</th>"
      "<th scope=\"col\"></th></tr></thead>\n<tbody>\n{}</tbody></table>\n",
      rows);
}

std::string reasonHtml(const check::UndecidedReason &reason, SourceFiles &files) {
  std::vector<Side> sides = {{reason.location, Tone::Warn, "undecided", reason.text}};
  for (const Finding::Note &note : reason.notes)
    sides.push_back({note.location, Tone::Info, "note", note.text});
  return fmt::format("<article>\n<h4>{} {}</h4>\n", tagHtml("undecided", Tone::Warn), escaped(reason.text)) +
         sidesHtml(sides, files) + (reason.hint.empty() ? "" : noteHtml("Hint: " + reason.hint)) +
         "</article>\n";
}

void addVerdict(HtmlPage &page, const KernelVerdict &verdict, SourceFiles &files) {
  const check::StaticResult &result = verdict.result;
  const std::string block = verdict.block ? noteHtml("Checked for " + blockText(*verdict.block) + ".") : "";
  page.add(verdict.kernel, block + propertiesHtml(result));
  if (!result.findings.empty())
    page.add("Violations", findingsHtml(result.findings, files), 3);
  std::string reasons;
  for (const check::UndecidedReason &reason : result.undecided)
    reasons += reasonHtml(reason, files);
  if (!reasons.empty())
    page.add("Why properties are undecided", reasons, 3);
}

Card headlineHtml(const CheckResultPage &result) {
  if (!result.verdicts.empty()) {
    switch (together(result.verdicts)) {
    case check::Verdict::Holds:
      return {"static check", "holds",
              "every property, for " + inputsText(result.verdicts.front().result) +
                  (std::ranges::any_of(result.verdicts, &hasAssumptions, &KernelVerdict::result)
                       ? ", under the assumptions below"
                       : ""),
              Tone::Good};
    case check::Verdict::Fails: return {"static check", "fails", "a property is violated", Tone::Bad};
    case check::Verdict::Undecided:
      return {"static check", "undecided", "no property is violated", Tone::Warn};
    }
  }
  if (!result.findings.empty())
    return {"result", counted(result.findings.size(), "finding"), "each shown once", Tone::Bad};
  return result.notes.empty() ? Card{"result", "clean", "no finding on this input", Tone::Good}
                              : Card{"result", "no findings", "but not everything was checked", Tone::Warn};
}

} // namespace

std::string checkHtml(const CheckResultPage &result) {
  HtmlPage page;
  page.verb = "heddle check";
  page.title = result.program;
  page.subtitle = result.mode;
  std::vector<Card> cards = {headlineHtml(result)};
  cards.insert(cards.end(), result.facts.begin(), result.facts.end());
  page.summary = cardsHtml(cards);
  for (const std::string &note : result.notes)
    page.summary += noteHtml(note, Tone::Warn);
  SourceFiles files;
  if (!result.findings.empty()) {
    page.add("Findings", findingsHtml(result.findings, files));
    std::vector<Side> all;
    for (const Finding &finding : result.findings) {
      const std::vector<Side> sides = sidesOf(finding);
      all.insert(all.end(), sides.begin(), sides.end());
    }
    if (std::string source = sidesHtml(all, files); result.findings.size() > 1 && !source.empty())
      page.add("All findings in the source", source);
    page.add("Rules", rulesHtml(result.findings));
  }
  for (const KernelVerdict &verdict : result.verdicts)
    addVerdict(page, verdict, files);
  return page.html();
}

} // namespace heddle::report
