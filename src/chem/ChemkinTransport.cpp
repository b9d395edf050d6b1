// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinTransport.h"

#include "chem/Constants.h"
#include "chem/Numbers.h"
#include "chem/TransportUnits.h"

#include <algorithm>
#include <array>

namespace heddle::chem {
namespace {

constexpr std::array<std::string_view, 6> fieldNames = {
    "the geometry",      "the well depth",     "the diameter",
    "the dipole moment", "the polarizability", "the rotational relaxation number"};

/// `1.00` for 1 is seen in real files and harmless; 0.9999999999999999 is a rounding error, which the text shows
/// where the number, once rounded, does not.
bool isWrittenAsWhole(std::string_view text) {
  size_t dot = std::min(text.find('.'), text.size());
  return text.substr(0, dot).find_first_not_of("+0123456789") == std::string_view::npos &&
         text.substr(std::min(dot + 1, text.size())).find_first_not_of('0') == std::string_view::npos;
}

class EntryReader {
public:
  EntryReader(const Line &line, Diagnostics &diagnostics)
      : line(line), words(splitWords(line)), diagnostics(diagnostics) {}

  std::optional<Transport> read() {
    if (!checkCount())
      return std::nullopt;
    std::optional<Geometry> geometry = readGeometry();
    std::array<double, 6> values{};
    bool isSound = geometry.has_value();
    for (size_t i = 1; i < values.size(); ++i)
      isSound &= readValue(i, values[i]);
    if (!isSound)
      return std::nullopt;
    return Transport{*geometry, values[1], values[2] * angstrom, values[3] * debye, values[4] * cubicAngstrom,
                     values[5]};
  }

private:
  /// Six numbers follow the name; words after them are a note.
  bool checkCount() {
    size_t numbers = 1;
    while (numbers < words.size() && (numbers <= 6 || parseNumber(words[numbers].text)))
      ++numbers;
    if (numbers == 7)
      return true;
    SourceLocation location = numbers < 7 ? line.whole() : line.at(words[7].column, words[7].text.size());
    diagnostics
        .error(std::move(location),
               fmt::format("transport data for '{}' have {} numbers, not 6", words[0].text, numbers - 1))
        .withHint("name, geometry, well depth, diameter, dipole moment, polarizability, relaxation number");
    return false;
  }

  std::optional<Geometry> readGeometry() {
    const Word &word = words[1];
    std::optional<double> value = parseNumber(word.text);
    if (!value || !isWrittenAsWhole(word.text) || *value > 2) {
      diagnostics
          .error(line.at(word.column, word.text.size()),
                 fmt::format("'{}' is no geometry for '{}'", word.text, words[0].text))
          .withHint("0 is an atom, 1 a linear molecule, 2 a nonlinear one");
      return std::nullopt;
    }
    if (word.text.size() > 1)
      diagnostics.warning(line.at(word.column, word.text.size()),
                          fmt::format("the geometry of '{}' is read as {}", words[0].text, int(*value)));
    return Geometry(int(*value));
  }

  bool readValue(size_t which, double &value) {
    const Word &word = words[which + 1];
    std::optional<double> number = readNumber(line, word, fieldNames[which], diagnostics);
    bool mustBePositive = which == 1 || which == 2;
    if (number && (*number < 0 || (mustBePositive && *number == 0)) && which != 3) {
      diagnostics.error(line.at(word.column, word.text.size()),
                        fmt::format("{} of '{}' must be positive", fieldNames[which], words[0].text));
      return false;
    }
    value = number.value_or(0);
    return number.has_value();
  }

  const Line &line;
  std::vector<Word> words;
  Diagnostics &diagnostics;
};

bool sameData(const Transport &a, const Transport &b) {
  return a.geometry == b.geometry && a.wellDepth == b.wellDepth && a.diameter == b.diameter &&
         a.dipole == b.dipole && a.polarizability == b.polarizability &&
         a.rotationalRelaxation == b.rotationalRelaxation;
}

/// The first of several entries counts, as in CHEMKIN, and one for `nC3H7` more than one for `NC3H7`.
void keep(std::optional<TransportEntry> &kept, TransportEntry entry, const std::string &name,
          Severity repeats, Diagnostics &diagnostics) {
  if (!kept || (entry.isExact && !kept->isExact)) {
    kept = std::move(entry);
    return;
  }
  if (kept->isExact && !entry.isExact)
    return;
  if (sameData(kept->data, entry.data))
    diagnostics.warning(entry.location, fmt::format("transport data for '{}' are given again", name))
        .note(kept->location, "first given here");
  else
    diagnostics
        .add(repeats, entry.location,
             fmt::format("transport data for '{}' differ from those given before", name))
        .note(kept->location, "first given here")
        .withHint("remove one of the two" + orPermissive(repeats));
}

} // namespace

void readTransportBlock(const ChemkinBlock &block, const NameTable &species, Severity repeats,
                        TransportEntries &entries, Diagnostics &diagnostics) {
  for (const Line &line : block.lines) {
    Word first = splitWords(line)[0];
    std::optional<unsigned> which = species.find(first.text);
    if (!which)
      continue;
    TransportEntry entry{{}, line.at(first.column, first.text.size()), first.text == species.name(*which)};
    std::optional<Transport> data = EntryReader(line, diagnostics).read();
    if (data) {
      entry.data = *data;
      keep(entries[*which], std::move(entry), species.name(*which), repeats, diagnostics);
    }
  }
}

} // namespace heddle::chem
