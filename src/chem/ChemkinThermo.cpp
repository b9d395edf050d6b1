// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A card has four lines, recognized by the digit in column 80. Columns, from 1:
//   line 1   1-18 name, 19-24 a note, 25-44 four elements (two letters, three for the count), 45 the phase,
//            46-55 lowest, 56-65 highest, 66-73 middle temperature, 74-78 a fifth element; what follows
//            column 80 are more elements, or a & and the elements in the next lines
//   line 2   five numbers of 15 columns: a1 to a5 above the middle temperature
//   line 3   a6, a7 above; a1 to a3 below
//   line 4   a4 to a7 below; a fifth number, the heat of formation, is not used
#include "chem/ChemkinThermo.h"

#include "chem/JoinRanges.h"
#include "chem/Numbers.h"

#include <algorithm>
#include <cctype>

namespace heddle::chem {
namespace {

constexpr size_t digitColumn = 79;

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

char digitOf(const Line &line) { return line.code().size() > digitColumn ? line.code()[digitColumn] : ' '; }

bool isFirstLine(const Line &line) { return digitOf(line) == '1'; }

/// Tabs in a card of fixed columns represent blanks up to the next eighth column.
Line withoutTabs(Line line) {
  std::string text;
  size_t end = 0;
  for (size_t i = 0; i < line.text.size(); ++i) {
    if (i == line.end)
      end = text.size();
    if (line.text[i] == '\t')
      text.append(8 - text.size() % 8, ' ');
    else
      text += line.text[i];
  }
  line.end = line.end >= line.text.size() ? text.size() : end;
  line.text = std::move(text);
  return line;
}

/// Some columns of a line, from 0; those past its end are missing.
struct Field {
  const Line &line;
  size_t column, width;

  std::string_view text() const {
    std::string_view code = line.code();
    return column < code.size() ? code.substr(column, width) : std::string_view();
  }
  std::string_view inner() const { return trimmed(text()); }
  SourceLocation location() const { return line.at(column, std::max<size_t>(1, text().size())); }
};

class CardReader {
public:
  CardReader(const ChemkinBlock &block, const NameTable &species, Severity repeats, ThermoCards &cards,
             Diagnostics &diagnostics)
      : species(species), repeats(repeats), cards(cards), diagnostics(diagnostics) {
    std::ranges::transform(block.lines, std::back_inserter(lines), withoutTabs);
    for (const Line &line : block.lines)
      hasTabs.push_back(line.text.find('\t') != std::string::npos);
  }

  void run() {
    readDefaultTemperatures();
    while (next < lines.size()) {
      const Line &line = lines[next++];
      std::optional<unsigned> which = speciesOf(line);
      if (which && isFirstLine(line))
        readCard(line, *which);
      else if (which && isOffByAFewColumns(line))
        reportColumn(line, *which);
      else if (which && hasTabs[next - 1])
        reportTabs(line, *which);
    }
  }

private:
  /// The line ends in a 1 near column 80 and the next one in a 2: a card whose columns have slipped.
  bool isOffByAFewColumns(const Line &line) const {
    size_t length = trimmed(line.code()).size();
    return length >= 76 && length <= 84 && line.code().find_last_of('1') == length - 1 &&
           next < lines.size() && trimmed(lines[next].code()).ends_with('2');
  }

  void reportColumn(const Line &line, unsigned which) {
    size_t column = trimmed(line.code()).size() - 1;
    diagnostics
        .error(line.at(column), fmt::format("the thermo data for '{}' have their '1' in column {}, not 80",
                                            species.name(which), column + 1))
        .withHint("the columns of this entry have slipped");
    if (!cards[which])
      cards[which] = ThermoCard{.location = line.whole()};
  }

  /// Once: an editor that writes tabs does so everywhere.
  void reportTabs(const Line &line, unsigned which) {
    if (!hasReportedTabs)
      diagnostics.error(line.whole(), "this line has tabs; thermo data have fixed columns")
          .withHint("replace tabs by the blanks that they represent, here and in the other lines");
    hasReportedTabs = true;
    if (!cards[which])
      cards[which] = ThermoCard{.location = line.whole()};
  }

  /// A line of three temperatures may precede the first card.
  void readDefaultTemperatures() {
    if (lines.empty() || isFirstLine(lines[0]))
      return;
    std::vector<Word> words = splitWords(lines[0]);
    for (size_t i = 0; i < 3 && i < words.size(); ++i)
      if (std::optional<double> value = parseNumber(words[i].text))
        defaults[i] = *value;
  }

  /// The name has 18 columns, yet long names run on into the note where there is none.
  std::optional<unsigned> speciesOf(const Line &line) const {
    for (size_t width : {24, 18})
      if (std::vector<Word> words = splitWords(line.code().substr(0, width)); !words.empty())
        if (std::optional<unsigned> found = species.find(words[0].text))
          return found;
    return std::nullopt;
  }

  void readCard(const Line &first, unsigned which) {
    ThermoCard card;
    name = species.name(which);
    card.location = first.at(0, name.size());
    card.isExact = splitWords(first.code().substr(0, 24))[0].text.starts_with(name);
    if (cards[which] && cards[which]->isExact && !card.isExact)
      return;
    bool isSound = readComposition(first, card);
    std::optional<std::array<double, 3>> temperatures = readTemperatures(first);
    std::array<double, 14> coefficients{};
    isSound &= readContinuation(first, card);
    isSound &= readCoefficients(coefficients);
    if (!temperatures || !isSound) {
      card.composition.clear();
      if (!cards[which])
        cards[which] = std::move(card); // what is wrong has been said: "no thermo data" would be untrue
      return;
    }
    auto [low, middle, high] = *temperatures;
    Nasa7Range lower{low, middle, {}}, upper{middle, high, {}};
    std::copy_n(coefficients.begin(), 7, upper.a.begin());
    std::copy_n(coefficients.begin() + 7, 7, lower.a.begin());
    card.ranges = {lower, upper};
    joinEqualRanges(card.ranges);
    keep(std::move(card), which);
  }

  bool readComposition(const Line &line, ThermoCard &card) {
    bool isSound = true;
    for (size_t column : {24, 29, 34, 39})
      isSound &= readElement({line, column, 5}, card);
    // A long middle temperature, or a letter for the phase, may be in the columns of the fifth element.
    if (Field fifth{line, 73, 5}; fifth.inner().size() > 1 && isLetter(fifth.text()[0]))
      isSound &= readElement(fifth, card);
    return isSound;
  }

  bool readElement(const Field &field, ThermoCard &card) {
    std::string_view text = field.text();
    std::string_view symbol = trimmed(text.substr(0, 2));
    std::string_view number = trimmed(text.size() > 2 ? text.substr(2) : std::string_view());
    std::optional<double> count = parseNumber(number);
    bool isBlank = symbol.empty() || symbol.find_first_not_of('0') == std::string_view::npos;
    if (isBlank && (number.empty() || (count && *count == 0)))
      return true;
    if (isBlank || !std::ranges::all_of(symbol, isLetter) || !count) {
      reportElement(field);
      return false;
    }
    if (*count != 0)
      card.composition.push_back({std::string(symbol), *count, field.location()});
    return true;
  }

  void reportElement(const Field &field) {
    diagnostics
        .error(field.location(),
               fmt::format("columns {}-{} of the thermo data for '{}' hold '{}', not an element and "
                           "a count",
                           field.column + 1, field.column + 5, name, field.text()))
        .withHint(
            "the symbol takes two columns and the count the next three; larger counts go behind column 80");
  }

  std::optional<std::array<double, 3>> readTemperatures(const Line &line) {
    std::optional<double> low = temperature({line, 45, 10}, 0), high = temperature({line, 55, 10}, 2),
                          middle = temperature({line, 65, 8}, 1);
    if (!low || !middle || !high)
      return std::nullopt;
    if (*low < *middle && *middle < *high)
      return std::array{*low, *middle, *high};
    diagnostics
        .error(line.at(45, 28),
               fmt::format("the temperature ranges of '{}', {} to {} and {} to {} K, must not be "
                           "empty",
                           name, *low, *middle, *middle, *high))
        .withHint("columns 46-55 hold the lowest, 56-65 the highest, 66-73 the middle temperature");
    return std::nullopt;
  }

  std::optional<double> temperature(const Field &field, unsigned which) {
    if (field.inner().empty())
      return defaults[which];
    std::optional<double> value = parseNumber(field.inner());
    if (!value || *value < 0) {
      diagnostics.error(field.location(), fmt::format("'{}' is no temperature in the thermo data for '{}'",
                                                      field.inner(), name));
      return std::nullopt;
    }
    return value;
  }

  /// Elements behind column 80, and in the lines after it as long as these end in an ampersand.
  bool readContinuation(const Line &first, ThermoCard &card) {
    std::string_view rest = first.code().size() > 80 ? first.code().substr(80) : std::string_view();
    bool isSound = readElementList(first, rest, card);
    for (bool goesOn = trimmed(rest).ends_with('&'); goesOn && next < lines.size();) {
      const Line &line = lines[next++];
      goesOn = trimmed(line.code()).ends_with('&');
      isSound &= readElementList(line, line.code(), card);
    }
    return isSound;
  }

  /// `C 778    H 263`, `C      388H      144`: symbols and counts in turn.
  bool readElementList(const Line &line, std::string_view list, ThermoCard &card) {
    size_t at = 0;
    auto skip = [&](auto &&isIn) {
      size_t begin = at;
      while (at < list.size() && isIn(list[at]))
        ++at;
      return list.substr(begin, at - begin);
    };
    while (true) {
      skip([](char c) { return c == ' ' || c == '&'; });
      if (at == list.size())
        return true;
      size_t begin = at;
      std::string_view symbol = skip(isLetter);
      skip([](char c) { return c == ' '; });
      std::string_view number = skip([](char c) { return c != ' ' && c != '&' && !isLetter(c); });
      std::optional<double> count = parseNumber(number);
      SourceLocation location =
          line.at(size_t(list.data() - line.text.data()) + begin, std::max<size_t>(at - begin, 1));
      if (symbol.empty() || symbol.size() > 2 || !count) {
        diagnostics.error(std::move(location),
                          fmt::format("'{}' in the thermo data for '{}' is not an element and a "
                                      "count",
                                      trimmed(list.substr(begin)), name));
        return false;
      }
      if (*count != 0)
        card.composition.push_back({std::string(symbol), *count, std::move(location)});
    }
  }

  bool readCoefficients(std::array<double, 14> &coefficients) {
    size_t filled = 0;
    bool isSound = true;
    for (char digit : {'2', '3', '4'}) {
      if (next >= lines.size() || digitOf(lines[next]) != digit)
        return reportDigit(digit);
      const Line &line = lines[next++];
      for (size_t i = 0; i < (digit == '4' ? 4u : 5u); ++i)
        isSound &= readCoefficient({line, 15 * i, 15}, coefficients[filled++]);
    }
    return isSound;
  }

  bool reportDigit(char digit) {
    if (next >= lines.size()) {
      const Line &last = lines.back();
      diagnostics.error(last.whole(),
                        fmt::format("the thermo data for '{}' end before their line {}", name, digit));
      return false;
    }
    const Line &line = lines[next];
    char found = digitOf(line);
    std::string instead = found == ' ' ? "nothing" : fmt::format("a '{}'", found);
    diagnostics
        .error(line.at(std::min(digitColumn, line.text.size())),
               fmt::format("line {} of the thermo data for '{}' needs a '{}' in column 80 and has {} there",
                           digit, name, digit, instead))
        .withHint("the four lines of an entry are numbered 1 to 4 in column 80");
    return false;
  }

  bool readCoefficient(const Field &field, double &value) {
    std::string text(field.inner());
    // `0.25E 02` is how many old programs print a positive exponent.
    if (size_t blank = text.find_first_of("EeDd"); blank != std::string::npos && text.size() == blank + 4 &&
                                                   text[blank + 1] == ' ' &&
                                                   std::isdigit((unsigned char)text[blank + 2]))
      text[blank + 1] = '+';
    std::optional<double> number = parseNumber(text);
    if (number) {
      value = *number;
      return true;
    }
    std::string what =
        text.empty() ? std::string("there is no number") : fmt::format("'{}' is no number", field.inner());
    diagnostics
        .error(field.location(), fmt::format("{} in columns {}-{} of the thermo data for '{}'", what,
                                             field.column + 1, field.column + 15, name))
        .withHint("a coefficient takes 15 columns, such as '-0.35101023E+01'");
    return false;
  }

  /// The first of several entries counts, and one for `nC3H7` more than one for `NC3H7`. One that says
  /// something else is most likely a mistake.
  void keep(ThermoCard card, unsigned which) {
    if (!cards[which] || (card.isExact && !cards[which]->isExact)) {
      cards[which] = std::move(card);
      return;
    }
    if (sameData(*cards[which], card))
      diagnostics.warning(card.location, fmt::format("thermo data for '{}' are given again", name))
          .note(cards[which]->location, "first given here");
    else
      diagnostics
          .add(repeats, card.location,
               fmt::format("thermo data for '{}' differ from those given before", name))
          .note(cards[which]->location, "first given here")
          .withHint("remove one of the two" + orPermissive(repeats));
  }

  static bool sameData(const ThermoCard &a, const ThermoCard &b) {
    auto sameAtoms = [](const ThermoCard::Atoms &x, const ThermoCard::Atoms &y) {
      return equalsIgnoringCase(x.element, y.element) && x.count == y.count;
    };
    auto sameRange = [](const Nasa7Range &x, const Nasa7Range &y) {
      return x.low == y.low && x.high == y.high && x.a == y.a;
    };
    return std::ranges::equal(a.composition, b.composition, sameAtoms) &&
           std::ranges::equal(a.ranges, b.ranges, sameRange);
  }

  const NameTable &species;
  Severity repeats;
  ThermoCards &cards;
  Diagnostics &diagnostics;
  std::vector<Line> lines;
  std::vector<bool> hasTabs; ///< of each line, as in the file
  bool hasReportedTabs = false;
  size_t next = 0;
  std::array<double, 3> defaults = {300, 1000, 5000};
  std::string name;
};

} // namespace

bool readThermoBlock(const ChemkinBlock &block, const NameTable &species, Severity repeats,
                     ThermoCards &cards, Diagnostics &diagnostics) {
  for (const Word &option : block.options)
    if (equalsIgnoringCase(option.text, "NASA9")) {
      diagnostics
          .refuse(block.header->at(option.column, option.text.size()), "NASA-9 thermo data are not supported")
          .withHint("give the species in the NASA-7 form");
      return false;
    }
  CardReader(block, species, repeats, cards, diagnostics).run();
  return true;
}

} // namespace heddle::chem
