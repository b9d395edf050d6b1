// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/VerifyHtml.h"

#include "report/SourceListing.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

using Outcome = VerifyResultPage::Outcome;
using Copy = VerifyResultPage::Copy;

/// Copies that differ are shown before so many that do not.
constexpr size_t MostCopies = 200;

Card verifyHeadline(const VerifyResultPage &result) {
  switch (result.outcome) {
  case Outcome::Same: return {"result", "same results", "on this input", Tone::Good};
  case Outcome::Different: return {"result", "different", "on this input", Tone::Bad};
  case Outcome::NotVerified: break;
  }
  return {"result", "not verified", "", Tone::Warn};
}

std::string comparedHtml(const VerifyResultPage &result) {
  std::string rows;
  for (const auto &[what, value] : result.compared)
    rows += fmt::format("<tr><td class=\"k\">{}</td><td>{}</td></tr>\n", escaped(what), escaped(value));
  return "<table><tbody>\n" + rows + "</tbody></table>\n";
}

std::string resultOf(const Copy &copy) {
  if (!copy.what.empty())
    return "FAIL: " + copy.what;
  return copy.differing
             ? fmt::format("FAIL: {} of {} elements differ; {}", copy.differing, copy.elements, copy.first)
             : "pass";
}

std::string copiesHtml(const std::vector<Copy> &copies) {
  std::vector<const Copy *> shown;
  for (bool isSame : {false, true})
    for (const Copy &copy : copies)
      if (copy.isSame() == isSame && shown.size() < MostCopies)
        shown.push_back(&copy);
  std::ranges::sort(shown, {}, &Copy::number);
  using Column = HtmlTable::Column;
  HtmlTable table;
  table.column("copy", Column::Number).column("kernel").column("buffer").column("elements", Column::Number);
  table.column("type").column("maximum relative error", Column::Number).column("result");
  for (const Copy *copy : shown)
    table.row({fmt::to_string(copy->number), copy->writer, copy->buffer, fmt::to_string(copy->elements),
               copy->element,
               copy->maxRelativeError ? fmt::format("{:.2e}", *copy->maxRelativeError)
               : copy->isSame()       ? "0"
                                      : "-",
               resultOf(*copy)},
              copy->isSame() ? "" : "hit bad");
  return table.html() +
         (shown.size() < copies.size()
              ? paragraphHtml(fmt::format("{} more copies pass.", copies.size() - shown.size()), true)
              : "");
}

std::string inputsHtml(const std::vector<VerifyResultPage::Input> &inputs) {
  HtmlTable table;
  table.column("arguments", HtmlTable::Column::Code).column("result");
  for (const VerifyResultPage::Input &input : inputs)
    table.row({input.arguments, input.result}, input.isSame ? "" : "hit bad");
  return table.html();
}

void addRooflines(const VerifyResultPage &result, HtmlPage &page) {
  if (result.kernels.empty())
    return;
  page.add("Roofline",
           paragraphHtml("Operations are counted by the simulator, bytes and times are predicted by the cost "
                         "model for a launch that fills the device; nothing was measured on a GPU."));
  for (const VerifyResultPage::Kernel &kernel : result.kernels)
    page.add(kernel.name, rooflineHtml(result.arch, kernel.variants), 3);
}

} // namespace

std::string verifyHtml(const VerifyResultPage &result) {
  HtmlPage page;
  page.verb = "heddle verify";
  page.title = fmt::format("{} and {}", result.names[0], result.names[1]);
  page.subtitle = "device-to-host copies, stdout and exit codes of two programs, compared on the same input";
  const auto failing =
      size_t(std::ranges::count_if(result.copies, [](const Copy &copy) { return !copy.isSame(); }));
  uint64_t elements = 0;
  for (const Copy &copy : result.copies)
    elements += copy.elements;
  page.summary =
      cardsHtml({verifyHeadline(result),
                 {"device-to-host copies", fmt::to_string(result.copies.size()),
                  failing ? fmt::format("{} {}", failing, failing == 1 ? "differs" : "differ") : "all equal",
                  failing ? Tone::Bad : Tone::Plain},
                 {"elements compared", inWords(elements), ""},
                 {"inputs", fmt::to_string(1 + result.otherInputs.size()), "including the given one"}});
  page.add("Result", fmt::format("<figure class=\"source\"><div class=\"scroll\" tabindex=\"0\" "
                                 "role=\"group\" aria-label=\"answer\">"
                                 "<pre style=\"margin:6px 14px\">{}</pre></div></figure>\n",
                                 escaped(result.answer)));
  page.add("What was compared", comparedHtml(result));
  if (!result.copies.empty())
    page.add("Copies", copiesHtml(result.copies));
  if (!result.otherInputs.empty())
    page.add("Other inputs", inputsHtml(result.otherInputs));
  addRooflines(result, page);
  for (const VerifyResultPage::Source &source : result.sources)
    page.add("Source",
             diffHtml(source.before, source.after, source.title, "Both programs have the same text."));
  return page.html();
}

} // namespace heddle::report
