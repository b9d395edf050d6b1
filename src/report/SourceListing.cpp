// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/SourceListing.h"

#include "report/Highlight.h"
#include "report/LineDiff.h"
#include "support/Files.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace heddle::report {
namespace {

/// A gap of fewer lines is shown instead of named.
constexpr unsigned LeastGap = 3;
/// The search for the fewest edits takes memory by the square of their number. Programs that differ in more lines than this
/// are different programs.
constexpr size_t MostEdits = 3000;

size_t indentOf(const std::string &line) {
  size_t columns = 0;
  for (char c : line) {
    if (c == '\t')
      columns += 4;
    else if (c == ' ')
      ++columns;
    else
      break;
  }
  return columns;
}

/// Whether each line is shown; index 0 is line 1.
std::vector<bool> shownLines(const Listing &listing) {
  std::vector<bool> shown(listing.lines.size());
  auto mark = [&](unsigned first, unsigned last) {
    for (unsigned line = std::max(1u, first); line <= last && line <= shown.size(); ++line)
      shown[line - 1] = true;
  };
  for (const auto &[first, last] : listing.shown)
    mark(first, last);
  const std::vector<bool> wanted = shown; // what is asked for needs nothing around it
  auto around = [&](unsigned line) {
    if (line && line <= wanted.size() && !wanted[line - 1])
      mark(line > listing.context ? line - listing.context : 1, line + listing.context);
  };
  for (const LineRemark &remark : listing.remarks)
    around(remark.line);
  for (const auto &[line, cells] : listing.numbers)
    around(line);
  for (size_t begin = 0; begin < shown.size();) { // short gaps
    size_t end = begin;
    while (end < shown.size() && !shown[end])
      ++end;
    if (end > begin && end - begin < LeastGap && begin > 0 && end < shown.size())
      std::fill(shown.begin() + long(begin), shown.begin() + long(end), true);
    begin = end + 1;
  }
  return shown;
}

class ListingHtml {
public:
  explicit ListingHtml(const Listing &listing) : listing(listing) {
    for (const LineRemark &remark : listing.remarks)
      remarks[remark.line].push_back(&remark);
  }

  std::string text() {
    const std::vector<bool> shown = shownLines(listing);
    Highlighter highlighter;
    for (size_t i = 0; i < shown.size(); ++i) {
      const std::string code =
          highlighter.line(listing.lines[i]); // also of lines that are not shown: comments
      if (shown[i]) {
        line(unsigned(i + 1), code);
        continue;
      }
      const size_t begin = i;
      while (i + 1 < shown.size() && !shown[i + 1])
        highlighter.line(listing.lines[++i]);
      gap(i + 1 - begin);
    }
    return fmt::format(
        "<figure class=\"source\"><figcaption>{}</figcaption>\n<div class=\"scroll\" tabindex=\"0\" "
        "role=\"group\" aria-label=\"source\"><table>{}\n<tbody>\n{}</tbody></table></div></figure>\n",
        escaped(listing.title), head(), rows);
  }

private:
  std::string head() const {
    if (listing.columns.empty())
      return {};
    std::string cells = "<th scope=\"col\" class=\"n\">line</th>";
    for (const std::string &name : listing.columns)
      cells += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escaped(name));
    return fmt::format("<thead><tr>{}<th scope=\"col\">source</th></tr></thead>", cells);
  }

  std::string emptyCells() const {
    std::string cells = "<td class=\"no\"></td>";
    for (size_t i = 0; i < listing.columns.size(); ++i)
      cells += "<td class=\"heat\"></td>";
    return cells;
  }

  void gap(size_t count) {
    rows += fmt::format("<tr class=\"gap\">{}<td>{}</td></tr>\n", emptyCells(),
                        counted(count, "line") + " not shown");
  }

  void line(unsigned number, const std::string &code) {
    const auto found = remarks.find(number);
    std::string kind;
    if (found != remarks.end())
      for (const LineRemark *remark : found->second)
        if (remark->isHit)
          kind = fmt::format(" class=\"hit {}\"", classOf(remark->tone));
    rows += fmt::format("<tr{}><td class=\"no\">{}</td>{}<td class=\"src\">{}</td></tr>\n", kind, number,
                        numberCells(number), code.empty() ? " " : code);
    if (found != remarks.end())
      remarkRow(number, found->second);
  }

  std::string numberCells(unsigned line) const {
    std::string cells;
    const auto found = listing.numbers.find(line);
    for (size_t i = 0; i < listing.columns.size(); ++i) {
      const bool has = found != listing.numbers.end() && i < found->second.size();
      cells += has ? fmt::format("<td class=\"heat\" style=\"--h:{:.2f}\">{}</td>",
                                 std::clamp(found->second[i].heat, 0.0, 1.0), escaped(found->second[i].text))
                   : "<td class=\"heat\"></td>";
    }
    return cells;
  }

  void remarkRow(unsigned line, const std::vector<const LineRemark *> &list) {
    std::string items;
    for (const LineRemark *remark : list)
      items += fmt::format("<li class=\"{}\"><b>{}</b>{}{}</li>", classOf(remark->tone),
                           escaped(remark->label), remark->text.empty() ? "" : ": ", escaped(remark->text));
    rows +=
        fmt::format("<tr class=\"remarks\">{}<td><ul class=\"remarks\" style=\"--i:{}\">{}</ul></td></tr>\n",
                    emptyCells(), indentOf(listing.lines[line - 1]), items);
  }

  const Listing &listing;
  std::map<unsigned, std::vector<const LineRemark *>> remarks;
  std::string rows;
};

/// At least so many lines must be removed or added: those of one text that the other has fewer of.
size_t leastEdits(const std::vector<std::string> &before, const std::vector<std::string> &after) {
  std::unordered_map<std::string, long> counts;
  for (const std::string &line : before)
    ++counts[line];
  for (const std::string &line : after)
    --counts[line];
  size_t edits = 0;
  for (const auto &[line, count] : counts)
    edits += size_t(std::abs(count));
  return edits;
}

} // namespace

std::string listingHtml(const Listing &listing) { return ListingHtml(listing).text(); }

std::string diffHtml(std::string_view before, std::string_view after, std::string_view title,
                     std::string_view nothing) {
  if (before == after)
    return paragraphHtml(nothing);
  if (const size_t edits = leastEdits(linesOfText(before), linesOfText(after)); edits > MostEdits)
    return paragraphHtml(fmt::format("The two differ in at least {} lines, too many to be shown.", edits));
  std::string rows;
  Highlighter ofBefore, ofAfter;
  unsigned left = 0, right = 0;
  for (const DiffLine &line : lineDiff(before, after)) {
    using Kind = DiffLine::Kind;
    if (line.kind == Kind::Gap) {
      unsigned skipped = 0;
      for (size_t i = 0; i < line.text.size() && line.text[i] >= '0' && line.text[i] <= '9'; ++i)
        skipped = skipped * 10 + unsigned(line.text[i] - '0');
      left += skipped, right += skipped;
      rows +=
          fmt::format("<tr class=\"gap\"><td class=\"no\"></td><td class=\"no\"></td><td class=\"no\"></td>"
                      "<td>{} unchanged</td></tr>\n",
                      counted(skipped, "line"));
      continue;
    }
    const bool isOfBefore = line.kind != Kind::Added, isOfAfter = line.kind != Kind::Removed;
    left += isOfBefore, right += isOfAfter;
    std::string code;
    if (isOfBefore)
      code = ofBefore.line(line.text);
    if (isOfAfter)
      code = ofAfter.line(line.text);
    rows += fmt::format("<tr{}><td class=\"no\">{}</td><td class=\"no\">{}</td><td class=\"no\">{}</td>"
                        "<td class=\"src\">{}</td></tr>\n",
                        line.kind == Kind::Added     ? " class=\"hit add\""
                        : line.kind == Kind::Removed ? " class=\"hit del\""
                                                     : "",
                        isOfBefore ? fmt::to_string(left) : "", isOfAfter ? fmt::to_string(right) : "",
                        line.kind == Kind::Same ? ' ' : char(line.kind), code);
  }
  return fmt::format(
      "<figure class=\"source\"><figcaption>{}</figcaption>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"group\" aria-label=\"changes\"><table><tbody>\n{}</tbody></table></div></figure>\n",
      escaped(title), rows);
}

std::vector<std::string> linesOfText(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.emplace_back(line);
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> linesOfFile(const std::string &file) { return linesOfText(contentsOf(file)); }

} // namespace heddle::report
