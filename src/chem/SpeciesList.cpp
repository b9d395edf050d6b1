// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/SpeciesList.h"

namespace heddle::chem {

NameTable speciesNames(const Mechanism &mechanism) {
  NameTable names;
  for (const Species &species : mechanism.species)
    names.add(species.name, species.place);
  return names;
}

std::vector<unsigned> readSpeciesList(const SourceText &source, const Mechanism &mechanism,
                                      Diagnostics &diagnostics) {
  NameTable names = speciesNames(mechanism);
  std::vector<unsigned> list;
  std::vector<Place> places(names.size());
  for (const Line &line : splitLines(source))
    for (const Word &word : splitWords(line)) {
      if (word.text.starts_with('#'))
        break;
      Place place = line.at(word.column, word.text.size());
      std::optional<unsigned> species = names.find(word.text);
      if (!species) {
        diagnostics.error(place, fmt::format("the mechanism has no species '{}'", word.text))
            .withHint(names.didYouMean(word.text));
      } else if (places[*species].isKnown()) {
        diagnostics.error(place, fmt::format("'{}' is listed twice", word.text))
            .note(places[*species], "first here");
      } else {
        places[*species] = place;
        list.push_back(*species);
      }
    }
  if (list.empty() && !diagnostics.has(Voice::Error))
    diagnostics.error({.file = source.name}, "the file lists no species").withHint("one name a line");
  return list;
}

} // namespace heddle::chem
