// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinElements.h"

#include "chem/Elements.h"
#include "chem/Numbers.h"

#include <algorithm>

namespace heddle::chem {
namespace {

constexpr std::string_view blanks = " \t";

/// Reads the elements of a line, one after the other.
class ElementsLine {
public:
  ElementsLine(const Line &line, NameTable &names, std::vector<Element> &elements, Diagnostics &diagnostics)
      : line(line), names(names), elements(elements), diagnostics(diagnostics) {}

  void run() {
    for (at = skipBlanks(line.begin); at < line.end; at = skipBlanks(at))
      readElement();
  }

private:
  size_t skipBlanks(size_t from) const {
    return std::min(line.text.find_first_not_of(blanks, from), line.end);
  }

  void readElement() {
    size_t end = std::min(line.text.find_first_of(" \t/", at), line.end);
    Word name{std::string_view(line.text).substr(at, end - at), at};
    at = skipBlanks(end);
    bool hasWeight = at < line.end && line.text[at] == '/';
    add(name, hasWeight ? readWeight(name) : standardAtomicWeight(name.text));
  }

  /// Between two slashes. A weight that is wrong has been reported, and represents any then.
  std::optional<double> readWeight(const Word &name) {
    constexpr double anyWeight = 1;
    size_t begin = at + 1, closing = std::min(line.text.find('/', begin), line.end);
    std::vector<Word> words = splitWords(std::string_view(line.text).substr(begin, closing - begin), begin);
    at = std::min(closing + 1, line.end);
    std::optional<double> weight = words.size() == 1 ? parseNumber(words[0].text) : std::nullopt;
    if (closing == line.end || !weight || *weight <= 0) {
      diagnostics
          .error(line.at(begin - 1, closing + 1 - begin),
                 fmt::format("this is no atomic weight for '{}'", name.text))
          .withHint(fmt::format("a positive number between two slashes: '{} / 1.008 /'", name.text));
      return anyWeight;
    }
    return weight;
  }

  void add(const Word &word, std::optional<double> weight) {
    SourceLocation location = line.at(word.column, std::max<size_t>(word.text.size(), 1));
    std::string symbol = elementSymbol(word.text);
    if (!weight)
      diagnostics.error(location, fmt::format("no atomic weight is known for element '{}'", word.text))
          .withHint(fmt::format("give it between slashes: '{} / 1.008 /'", word.text));
    auto [index, isNew] = names.add(symbol, location);
    if (isNew)
      elements.push_back({symbol, weight.value_or(1)});
    else
      diagnostics.warning(location, fmt::format("element '{}' is declared again", word.text))
          .note(names.location(index), "first declared here");
  }

  const Line &line;
  NameTable &names;
  std::vector<Element> &elements;
  Diagnostics &diagnostics;
  size_t at = 0;
};

} // namespace

void readElementsBlock(const ChemkinBlock &block, NameTable &names, std::vector<Element> &elements,
                       Diagnostics &diagnostics) {
  for (const Line &line : block.lines)
    ElementsLine(line, names, elements, diagnostics).run();
}

} // namespace heddle::chem
