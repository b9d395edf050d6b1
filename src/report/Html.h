// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The look that all HTML pages share. A page is one file: no script, nothing from a network, light or dark as the reader's
// system is set, usable with a keyboard alone, fit to be printed.
//
// Text and markup are both strings here. A parameter that is called `...Html` or `body` is markup; everything else is text
// and is escaped where it enters the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// Text as it may be in HTML and SVG, attributes included.
std::string escaped(std::string_view text);

/// What a mark, a card or a remark says by its colour. The words beside it say the same.
enum class Tone { Plain, Info, Good, Warn, Bad };
/// The class of the style sheet; empty for Plain.
std::string_view classOf(Tone tone);

/// One number or word that answers a first question: "occupancy", "75 %", "limited by registers".
struct Card {
  std::string label, value, detail;
  Tone tone = Tone::Plain;
  bool isHeadline = false; ///< shown larger than the others
};
std::string cardsHtml(const std::vector<Card> &cards);

/// A box with a sentence that must not be overlooked.
std::string noteHtml(std::string_view text, Tone tone = Tone::Info);
/// A small word in a colour: "proved", "race".
std::string tagHtml(std::string_view text, Tone tone);
std::string paragraphHtml(std::string_view text, bool isSoft = false);
/// What is folded away until it is asked for.
std::string detailsHtml(std::string_view summary, std::string_view body, bool isOpen = false);

/// Rows under named columns. Numbers are aligned at their right edge.
class HtmlTable {
public:
  enum class Column { Text, Code, Number };

  HtmlTable &column(std::string_view name, Column kind = Column::Text);
  /// Texts, one for each column; a column without text is left empty. `rowClass` is of the style sheet.
  HtmlTable &row(const std::vector<std::string> &cells, std::string_view rowClass = {});
  /// A first cell as usual, and one text for all other columns.
  HtmlTable &spanningRow(const std::string &first, const std::string &rest, std::string_view rowClass = {});
  bool empty() const { return rows.empty(); }
  std::string html() const;

private:
  std::string cell(size_t column, const std::string &text) const;
  std::vector<std::pair<std::string, Column>> columns;
  std::string rows;
};

/// A whole page.
struct HtmlPage {
  struct Section {
    std::string title;
    std::string body;
    unsigned level = 2; ///< of its heading: 2, or 3 for a part of the section before
  };

  std::string verb;     ///< "heddle analyze"
  std::string title;    ///< mostly a file
  std::string subtitle; ///< one line of what it is about: device, arguments
  std::string summary;  ///< markup above the sections
  std::vector<Section> sections;

  void add(std::string_view heading, std::string body, unsigned level = 2) {
    sections.push_back({std::string(heading), std::move(body), level});
  }
  std::string html() const;
};

} // namespace heddle::report
