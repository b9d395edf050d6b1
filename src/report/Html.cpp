// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Html.h"

#include "report/StyleText.h"
#include "support/Utf8.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

/// Beyond so many entries the table of contents names sections only.
constexpr size_t MostContents = 40;

/// Words that are too long for the large type of a card.
constexpr size_t LongValue = 18;

std::string withTone(std::string_view base, Tone tone) {
  const std::string_view name = classOf(tone);
  return name.empty() ? std::string(base) : fmt::format("{} {}", base, name);
}

std::string anchor(size_t section) { return fmt::format("s{}", section + 1); }

std::string contentsHtml(const std::vector<HtmlPage::Section> &sections) {
  if (sections.size() < 2)
    return {};
  const bool isLong = sections.size() > MostContents;
  std::string entries;
  for (size_t i = 0; i < sections.size(); ++i)
    if (!isLong || sections[i].level < 3)
      entries += fmt::format("<li class=\"l{}\"><a href=\"#{}\">{}</a></li>\n", sections[i].level, anchor(i),
                             escaped(sections[i].title));
  return fmt::format("<nav class=\"contents\" aria-label=\"Contents\"><ul>\n{}</ul></nav>\n", entries);
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char letter : asUtf8(text))
    switch (letter) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += letter;
    }
  return out;
}

std::string_view classOf(Tone tone) {
  switch (tone) {
  case Tone::Plain: return "";
  case Tone::Info: return "info";
  case Tone::Good: return "good";
  case Tone::Warn: return "warn";
  case Tone::Bad: return "bad";
  }
  return "";
}

std::string cardsHtml(const std::vector<Card> &cards) {
  std::string out;
  for (const Card &card : cards) {
    const std::string kind = withTone(card.isHeadline ? "card accent" : "card", card.tone);
    out += fmt::format("<div class=\"{}\"><div class=\"label\">{}</div><div class=\"{}\">{}</div>", kind,
                       escaped(card.label), card.value.size() > LongValue ? "value long" : "value",
                       escaped(card.value));
    if (!card.detail.empty())
      out += fmt::format("<div class=\"detail\">{}</div>", escaped(card.detail));
    out += "</div>\n";
  }
  return "<div class=\"cards\">\n" + out + "</div>\n";
}

std::string noteHtml(std::string_view text, Tone tone) {
  return fmt::format("<div class=\"{}\" role=\"note\">{}</div>\n", withTone("note", tone), escaped(text));
}

std::string tagHtml(std::string_view text, Tone tone) {
  return fmt::format("<span class=\"{}\">{}</span>", withTone("tag", tone), escaped(text));
}

std::string paragraphHtml(std::string_view text, bool isSoft) {
  return fmt::format("<p{}>{}</p>\n", isSoft ? " class=\"soft\"" : "", escaped(text));
}

std::string detailsHtml(std::string_view summary, std::string_view body, bool isOpen) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", isOpen ? " open" : "",
                     escaped(summary), body);
}

HtmlTable &HtmlTable::column(std::string_view name, Column kind) {
  columns.emplace_back(name, kind);
  return *this;
}

std::string HtmlTable::cell(size_t column, const std::string &text) const {
  switch (columns[column].second) {
  case Column::Text: break;
  case Column::Code: return fmt::format("<td><code>{}</code></td>", escaped(text));
  case Column::Number: return fmt::format("<td class=\"n\">{}</td>", escaped(text));
  }
  return fmt::format("<td>{}</td>", escaped(text));
}

HtmlTable &HtmlTable::row(const std::vector<std::string> &cells, std::string_view rowClass) {
  rows += rowClass.empty() ? std::string("<tr>") : fmt::format("<tr class=\"{}\">", rowClass);
  for (size_t i = 0; i < columns.size(); ++i)
    rows += cell(i, i < cells.size() ? cells[i] : std::string());
  rows += "</tr>\n";
  return *this;
}

HtmlTable &HtmlTable::spanningRow(const std::string &first, const std::string &rest,
                                  std::string_view rowClass) {
  rows += fmt::format("<tr class=\"{}\">{}<td colspan=\"{}\">{}</td></tr>\n", rowClass, cell(0, first),
                      columns.size() - 1, escaped(rest));
  return *this;
}

std::string HtmlTable::html() const {
  std::string head;
  for (const auto &[name, kind] : columns)
    head += fmt::format("<th scope=\"col\"{}>{}</th>", kind == Column::Number ? " class=\"n\"" : "",
                        escaped(name));
  return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table "
                     "class=\"wide\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                     head, rows);
}

std::string HtmlPage::html() const {
  std::string body;
  for (size_t i = 0; i < sections.size(); ++i)
    body += fmt::format("<section aria-labelledby=\"{0}\">\n<h{1} id=\"{0}\">{2}</h{1}>\n{3}</section>\n",
                        anchor(i), sections[i].level, escaped(sections[i].title), sections[i].body);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{title} - {verb}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<div class=\"page\">\n"
      "<header class=\"top\"><p class=\"verb\">{verb}</p><h1>{title}</h1><p class=\"soft\">{subtitle}</p>"
      "</header>\n<div class=\"columns\">\n{contents}<main id=\"main\" "
      "tabindex=\"-1\">\n{summary}{body}</main>\n"
      "</div>\n<footer>Heddle {version}</footer>\n</div>\n</body>\n</html>\n",
      fmt::arg("title", escaped(title)), fmt::arg("verb", escaped(verb)),
      fmt::arg("style", styleText("page.css")), fmt::arg("subtitle", escaped(subtitle)),
      fmt::arg("contents", contentsHtml(sections)), fmt::arg("summary", summary), fmt::arg("body", body),
      fmt::arg("version", HEDDLE_VERSION));
}

} // namespace heddle::report
