// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reaction is a line with an equation and three numbers, and the auxiliary lines up to the next one.
#include "chem/ChemkinReactions.h"

#include "chem/ChemkinRates.h"
#include "chem/Numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::chem {
namespace {

bool hasLetter(const Line &line, char letter) { return line.code().find(letter) != std::string_view::npos; }

bool endsInThreeNumbers(const std::vector<Word> &words) {
  return words.size() >= 3 && std::all_of(words.end() - 3, words.end(), [](const Word &word) {
           return parseNumber(word.text).has_value();
         });
}

enum class LineKind { Reaction, Auxiliary, Neither };

/// A species may have = in its name, and then an efficiency has it too.
LineKind kindOf(const Line &line, const std::vector<Word> &words, const NameTable &species) {
  if (hasLetter(line, '='))
    return hasLetter(line, '/') && !endsInThreeNumbers(words) ? LineKind::Auxiliary : LineKind::Reaction;
  if (hasLetter(line, '/') || beginsWithAuxiliaryKeyword(line, species))
    return LineKind::Auxiliary;
  return endsInThreeNumbers(words) ? LineKind::Reaction : LineKind::Neither;
}

/// A line that ends in & goes on in the next one.
std::vector<Line> joined(const std::vector<Line> &lines) {
  std::vector<Line> result;
  bool goesOn = false;
  for (const Line &line : lines) {
    if (goesOn) {
      Line &last = result.back();
      last.text.resize(last.end);
      last.text += ' ';
      last.text += line.code();
      last.end = last.text.size();
    } else {
      result.push_back(line);
    }
    Line &last = result.back();
    std::string_view code = trimmed(last.code());
    goesOn = code.ends_with('&');
    if (goesOn)
      last.end = size_t(code.data() - last.text.data()) + code.size() - 1;
  }
  std::erase_if(result, [](const Line &line) { return line.isBlank(); });
  return result;
}

class BlockReader {
public:
  BlockReader(const ChemkinBlock &block, const NameTable &species, std::vector<Reaction> &reactions,
              Diagnostics &diagnostics)
      : block(block), species(species), reactions(reactions), diagnostics(diagnostics) {}

  void run() {
    readUnits();
    for (const Line &line : joined(block.lines))
      take(line);
    finish();
  }

private:
  void readUnits() {
    std::vector<std::pair<SourceLocation, std::string>> words;
    for (const Word &word : block.options)
      words.emplace_back(block.header->at(word.column, word.text.size()), word.text);
    units.set(words, diagnostics);
  }

  void take(const Line &line) {
    std::vector<Word> words = splitWords(line);
    switch (kindOf(line, words, species)) {
    case LineKind::Reaction:
      finish();
      begin(line, words);
      return;
    case LineKind::Auxiliary:
      if (!reportWordsAfterReaction(line, words))
        takeAuxiliary(line);
      return;
    case LineKind::Neither:
      diagnostics.error(line.whole(), "this is neither a reaction nor auxiliary data of one")
          .withHint("a reaction is an equation with '=', '<=>' or '=>', and three numbers A, b and E");
    }
  }

  /// How many words, up to three numbers, are a reaction if the others are ignored; 0 if none are.
  static size_t reactionWords(const std::vector<Word> &words) {
    for (size_t count = 1; count <= words.size() && words[count - 1].text.find('/') == std::string::npos;
         ++count)
      if (count > 3 && endsInThreeNumbers({words.begin(), words.begin() + count}))
        return count;
    return 0;
  }

  /// `H+O2=O+OH 1E14 0 1000 /`, or with `H2/2/` at its end: a reaction, but for what follows it.
  bool reportWordsAfterReaction(const Line &line, std::vector<Word> words) {
    const size_t count = hasLetter(line, '=') ? reactionWords(words) : 0;
    if (count == 0 || count == words.size())
      return false;
    const Word first = words[count], last = words.back();
    words.resize(count);
    finish();
    const size_t length = last.column + last.text.size() - first.column;
    const bool isSlash = line.text.substr(first.column, length) == "/";
    diagnostics
        .error(line.at(first.column, length),
               fmt::format("{} after the three numbers of a reaction", isSlash ? "a '/'" : "text"))
        .withHint(isSlash ? "remove it"
                          : "auxiliary data are in lines of their own; a comment begins with '!'");
    begin(line, words);
    return true;
  }

  void begin(const Line &line, const std::vector<Word> &words) {
    current = ChemkinReaction{};
    current->text = trimmed(line.code());
    isSound = readNumbers(line, words) && readParts(line, words);
  }

  /// The last word before A, b and E is a species, never a number.
  bool reportFourthNumber(const Line &line, const std::vector<Word> &words) {
    if (words.size() < 4 || !parseNumber(words[words.size() - 4].text))
      return false;
    const size_t from = words[words.size() - 4].column, to = words.back().column + words.back().text.size();
    diagnostics.error(line.at(from, to - from),
                      "a reaction ends in three numbers, A, b and E; this line has more");
    return true;
  }

  /// One of the last three words that was meant as a number, such as 1E+400 or 3,5.
  bool reportNoNumber(const Line &line, const std::vector<Word> &words) {
    for (size_t i = words.size() - std::min<size_t>(words.size(), 3); i < words.size(); ++i)
      if (std::string fault = faultOfNumber(words[i].text); !fault.empty()) {
        diagnostics.error(line.at(words[i].column, words[i].text.size()), std::move(fault))
            .withHint(numberHint(words[i].text));
        return true;
      }
    return false;
  }

  bool readNumbers(const Line &line, const std::vector<Word> &words) {
    if (endsInThreeNumbers(words)) {
      if (reportFourthNumber(line, words))
        return false;
      for (size_t i = 0; i < 3; ++i)
        current->arrhenius[i] = *parseNumber(words[words.size() - 3 + i].text);
      return true;
    }
    if (!reportNoNumber(line, words))
      diagnostics.error(line.whole(), "a reaction ends in three numbers, A, b and E");
    return false;
  }

  bool readParts(const Line &line, const std::vector<Word> &words) {
    if (words.size() == 3) {
      diagnostics.error(line.whole(), "three numbers without an equation are no reaction")
          .withHint("put the equation before them, such as 'H + O2 = O + OH'");
      return false;
    }
    const Word &last = words[words.size() - 4];
    size_t begin = words[0].column, length = last.column + last.text.size() - begin;
    current->text = line.text.substr(begin, length);
    current->location = line.at(begin, length);
    auto location = [&](size_t column, size_t count) { return line.at(begin + column, count); };
    std::optional<Equation> equation = readEquation(current->text, species, location, diagnostics);
    if (equation)
      current->equation = std::move(*equation);
    return equation.has_value();
  }

  void takeAuxiliary(const Line &line) {
    if (current)
      isAuxiliarySound &= readAuxiliaryLine(line, current->text, species, current->auxiliary, diagnostics);
    else
      diagnostics.error(line.whole(), "auxiliary data before the first reaction");
  }

  /// Where a line of the reaction was wrong, only what the equation says is kept: the rest would mislead.
  void finish() {
    if (current && isSound && isAuxiliarySound)
      reactions.push_back(buildReaction(*current, units, diagnostics));
    else if (current && isSound)
      reactions.push_back(equationOnly());
    current.reset();
    isAuxiliarySound = true;
  }

  Reaction equationOnly() const {
    Reaction reaction;
    reaction.equation = current->text;
    reaction.reactants = current->equation.reactants;
    reaction.products = current->equation.products;
    reaction.duplicate = current->auxiliary.isDuplicate;
    reaction.reverse = current->equation.isReversible ? Reverse::Equilibrium : Reverse::None;
    if (current->equation.collider)
      reaction.collider = Collider{.named = current->equation.collider->species};
    reaction.location = current->location;
    return reaction;
  }

  const ChemkinBlock &block;
  const NameTable &species;
  std::vector<Reaction> &reactions;
  Diagnostics &diagnostics;
  ChemkinUnits units;
  std::optional<ChemkinReaction> current;
  bool isSound = true, isAuxiliarySound = true;
};

} // namespace

void readReactionsBlock(const ChemkinBlock &block, const NameTable &species, std::vector<Reaction> &reactions,
                        Diagnostics &diagnostics) {
  BlockReader(block, species, reactions, diagnostics).run();
}

} // namespace heddle::chem
