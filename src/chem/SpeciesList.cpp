// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/SpeciesList.h"

namespace heddle::chem {

NameTable speciesNames(const Mechanism &mechanism) {
  NameTable names;
  for (const Species &species : mechanism.species)
    names.add(species.name, species.location);
  return names;
}

namespace {

/// What the file most likely is, if not the list of names that it should be.
std::string hintFor(std::string_view word, const NameTable &names) {
  if (word == "species:")
    return "this is a list of names, not YAML; PelePhysics' list of transported species has all species but "
           "these";
  if (word.find(',') != std::string_view::npos)
    return "names are separated by blanks or line ends";
  return names.didYouMean(word);
}

} // namespace

std::vector<unsigned> readSpeciesList(const SourceText &source, const Mechanism &mechanism,
                                      Diagnostics &diagnostics) {
  NameTable names = speciesNames(mechanism);
  std::vector<unsigned> list;
  std::vector<SourceLocation> locations(names.size());
  for (const Line &line : splitLines(source))
    for (const Word &word : splitWords(line)) {
      if (word.text.starts_with('#'))
        break;
      SourceLocation location = line.at(word.column, word.text.size());
      std::optional<unsigned> species = names.find(word.text);
      if (!species) {
        diagnostics.error(location, fmt::format("the mechanism has no species '{}'", word.text))
            .withHint(hintFor(word.text, names));
      } else if (locations[*species].isKnown()) {
        diagnostics.error(location, fmt::format("'{}' is listed twice", word.text))
            .note(locations[*species], "first here");
      } else {
        locations[*species] = location;
        list.push_back(*species);
      }
    }
  if (list.empty() && !diagnostics.has(Severity::Error))
    diagnostics.error({.file = source.name}, "the file lists no species")
        .withHint("names are separated by blanks or line ends");
  return list;
}

} // namespace heddle::chem
