// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is a row of items, each a word and, but for DUPLICATE, something between two slashes:
//     tcheb / 300.0 2000.0 /  pcheb / 0.01 98.7 /        H2/2/ H2O/5/        FORD / R1A 1.5 /
// A word that is no keyword is a species, and its number an efficiency. UNITS alone may have slashes between
// its slashes: `UNITS / CAL/MOLE /`.
#include "chem/ChemkinAuxiliary.h"

#include "chem/Numbers.h"
#include "support/Suggest.h"
#include "support/Text.h"

#include <algorithm>

namespace heddle::chem {
namespace {

struct NumbersKeyword {
  std::string_view text;
  AuxiliaryKind kind;
  size_t least, most;
  std::string_view numbers;
};

constexpr NumbersKeyword numbersKeywords[] = {
#define NUMBERS_KEYWORD(name, text, least, most, numbers) {text, AuxiliaryKind::name, least, most, numbers},
#include "chem/ChemkinAuxiliary.def"
};

struct UnsupportedKeyword {
  std::string_view text, what;
};

constexpr UnsupportedKeyword unsupportedKeywords[] = {
#define UNSUPPORTED_KEYWORD(text, what) {text, what},
#include "chem/ChemkinAuxiliary.def"
};

template <typename Table> auto findKeyword(const Table &table, std::string_view word) {
  auto found = std::ranges::find_if(table, [&](auto &each) { return equalsIgnoringCase(each.text, word); });
  return found == std::ranges::end(table) ? nullptr : &*found;
}

/// A species is looked for first: nothing keeps it from being called as one of these.
const UnsupportedKeyword *findUnsupported(std::string_view word, const NameTable &species) {
  return species.find(word) ? nullptr : findKeyword(unsupportedKeywords, word);
}

bool isDuplicateWord(std::string_view word) {
  std::string upper = upperCase(word);
  return upper == "DUP" || upper == "DUPLICATE" || upper == "DUPL" || upper == "DUPLICATES";
}

bool isRepeatable(AuxiliaryKind kind) { return kind == AuxiliaryKind::Plog || kind == AuxiliaryKind::Cheb; }

/// A word and what is between its slashes.
struct Item {
  Word word;
  Word content;
};

class AuxiliaryLine {
public:
  AuxiliaryLine(const Line &line, std::string_view reaction, const NameTable &species, Auxiliary &auxiliary,
                Diagnostics &diagnostics)
      : line(line), reaction(reaction), species(species), auxiliary(auxiliary), diagnostics(diagnostics) {}

  bool read() {
    at = line.begin;
    while (skipBlanks(), at < line.end)
      if (!readItem())
        return false;
    return isSound;
  }

private:
  void skipBlanks() {
    while (at < line.end && (line.text[at] == ' ' || line.text[at] == '\t'))
      ++at;
  }

  /// False where the rest of the line cannot be taken apart.
  bool readItem() {
    Word word = readWord();
    if (isDuplicateWord(word.text)) {
      auxiliary.isDuplicate = true;
      return true;
    }
    skipBlanks();
    if (word.text.empty() || at >= line.end || line.text[at] != '/') {
      // MOME and XSMI have no slashes, and whoever forgets those of another should know that they would not help.
      if (const UnsupportedKeyword *keyword = findUnsupported(word.text, species))
        return refuse(*keyword, line.at(word.column, word.text.size()));
      return reportNoSlash(word);
    }
    size_t closing = closingSlash(word);
    if (closing >= line.end)
      return reportNoClosing(word);
    Item item{word, {std::string_view(line.text).substr(at + 1, closing - at - 1), at + 1}};
    at = closing + 1;
    isSound &= take(item);
    return true;
  }

  /// Up to a blank or a slash.
  Word readWord() {
    size_t begin = at;
    while (at < line.end && line.text[at] != ' ' && line.text[at] != '\t' && line.text[at] != '/')
      ++at;
    return {std::string_view(line.text).substr(begin, at - begin), begin};
  }

  size_t closingSlash(const Word &word) const {
    if (equalsIgnoringCase(word.text, "UNITS"))
      if (size_t last = line.code().rfind('/'); last != std::string_view::npos && line.begin + last > at)
        return line.begin + last;
    return std::min(line.text.find('/', at + 1), line.end);
  }

  bool reportNoSlash(const Word &word) {
    bool isKeyword = findKeyword(numbersKeywords, word.text);
    diagnostics
        .error(line.at(word.column, std::max<size_t>(word.text.size(), 1)),
               fmt::format("{} '{}' needs its numbers between two slashes",
                           isKeyword ? "the keyword" : "auxiliary data for", word.text))
        .withHint("such as 'LOW / 1.0E20 -1.0 0.0 /' or 'H2O/6.0/'");
    return false;
  }

  bool reportNoClosing(const Word &word) {
    diagnostics.error(line.at(at), fmt::format("the slash after '{}' is not closed", word.text))
        .withHint("put a '/' after the last number");
    return false;
  }

  bool take(const Item &item) {
    std::string_view word = item.word.text;
    if (const NumbersKeyword *keyword = findKeyword(numbersKeywords, word))
      return takeNumbers(item, *keyword);
    if (equalsIgnoringCase(word, "FORD"))
      return takeOrder(item, auxiliary.forwardOrders);
    if (equalsIgnoringCase(word, "RORD"))
      return takeOrder(item, auxiliary.reverseOrders);
    if (equalsIgnoringCase(word, "UNITS"))
      return takeUnits(item);
    if (const UnsupportedKeyword *keyword = findUnsupported(word, species))
      return refuse(*keyword, locationOf(item));
    return takeEfficiency(item);
  }

  bool refuse(const UnsupportedKeyword &keyword, SourceLocation location) {
    diagnostics.refuse(std::move(location),
                       fmt::format("'{}', {}, is not supported", keyword.text, keyword.what));
    return false;
  }

  std::string ofReaction(std::string_view keyword) const {
    return fmt::format("{} of '{}'", keyword, reaction);
  }

  SourceLocation locationOf(const Item &item) const {
    return line.at(item.word.column, item.content.column + item.content.text.size() + 1 - item.word.column);
  }

  bool takeNumbers(const Item &item, const NumbersKeyword &keyword) {
    std::vector<double> numbers;
    bool isGood = true;
    std::string content(item.content.text); // Fortran takes commas between numbers, too
    std::ranges::replace(content, ',', ' ');
    for (const Word &word : splitWords(content, item.content.column)) {
      std::optional<double> number = readNumber(line, word, ofReaction(keyword.text), diagnostics);
      isGood &= number.has_value();
      numbers.push_back(number.value_or(0));
    }
    if (!isGood || !checkCount(item, keyword, numbers.size()) || !checkRepeat(item, keyword))
      return false;
    auxiliary.numbers[keyword.kind].push_back({locationOf(item), std::move(numbers)});
    return true;
  }

  bool checkCount(const Item &item, const NumbersKeyword &keyword, size_t count) {
    bool isSriOfFour = keyword.kind == AuxiliaryKind::Sri && count == 4;
    if (count >= keyword.least && count <= keyword.most && !isSriOfFour)
      return true;
    diagnostics
        .error(locationOf(item), fmt::format("{} has {}", ofReaction(keyword.text), counted(count, "number")))
        .withHint(fmt::format("{} takes {}", keyword.text, keyword.numbers));
    return false;
  }

  bool checkRepeat(const Item &item, const NumbersKeyword &keyword) {
    const NumbersEntry *earlier = auxiliary.find(keyword.kind);
    if (!earlier || isRepeatable(keyword.kind))
      return true;
    diagnostics.error(locationOf(item), fmt::format("{} is given twice for one reaction", keyword.text))
        .note(earlier->location, "first given here");
    return false;
  }

  bool takeOrder(const Item &item, std::vector<SpeciesEntry> &orders) {
    std::vector<Word> words = splitWords(item.content.text, item.content.column);
    if (words.size() != 2) {
      diagnostics
          .error(locationOf(item), fmt::format("{} takes a species and its order", upperCase(item.word.text)))
          .withHint(fmt::format("such as '{} / H2 0.5 /'", upperCase(item.word.text)));
      return false;
    }
    return takeSpecies(words[0], words[1], "an order", orders);
  }

  bool takeUnits(const Item &item) {
    for (const Word &word : splitWords(item.content.text, item.content.column))
      auxiliary.unitWords.emplace_back(line.at(word.column, word.text.size()), word.text);
    return true;
  }

  bool takeEfficiency(const Item &item) {
    std::vector<Word> words = splitWords(item.content.text, item.content.column);
    if (words.size() != 1) {
      if (species.find(item.word.text))
        diagnostics.error(locationOf(item),
                          fmt::format("the efficiency of '{}' is one number", item.word.text));
      else
        diagnostics
            .error(line.at(item.word.column, item.word.text.size()),
                   fmt::format("'{}' is neither a keyword nor a declared species", item.word.text))
            .withHint(nearestName(item.word.text));
      return false;
    }
    return takeSpecies(item.word, words[0], "an efficiency", auxiliary.efficiencies);
  }

  /// What has several numbers is more likely a keyword than a species.
  std::string nearestName(std::string_view word) const {
    std::vector<std::string> keywords = {"FORD", "RORD", "UNITS"};
    for (const NumbersKeyword &each : numbersKeywords)
      keywords.emplace_back(each.text);
    const std::string meant = heddle::didYouMean(upperCase(word), keywords);
    return meant.empty() ? species.didYouMean(word) : meant;
  }

  bool takeSpecies(const Word &name, const Word &number, std::string_view what,
                   std::vector<SpeciesEntry> &list) {
    std::optional<unsigned> which = species.find(name.text);
    SourceLocation location = line.at(name.column, name.text.size());
    if (!which)
      diagnostics
          .error(location,
                 fmt::format("{} is given for species '{}', which is not declared", what, name.text))
          .withHint(species.hintFor(name.text));
    std::optional<double> value = readNumber(line, number, what, diagnostics);
    if (!which || !value)
      return false;
    list.push_back({std::move(location), *which, *value});
    return true;
  }

  const Line &line;
  std::string_view reaction;
  const NameTable &species;
  Auxiliary &auxiliary;
  Diagnostics &diagnostics;
  size_t at = 0;
  bool isSound = true;
};

} // namespace

bool readAuxiliaryLine(const Line &line, std::string_view reaction, const NameTable &species,
                       Auxiliary &auxiliary, Diagnostics &diagnostics) {
  return AuxiliaryLine(line, reaction, species, auxiliary, diagnostics).read();
}

bool beginsWithAuxiliaryKeyword(const Line &line, const NameTable &species) {
  std::vector<Word> words = splitWords(line);
  if (words.empty())
    return false;
  std::string_view word = words[0].text.substr(0, words[0].text.find('/'));
  return isDuplicateWord(word) || findKeyword(numbersKeywords, word) || equalsIgnoringCase(word, "FORD") ||
         equalsIgnoringCase(word, "RORD") || equalsIgnoringCase(word, "UNITS") ||
         findUnsupported(word, species);
}

} // namespace heddle::chem
