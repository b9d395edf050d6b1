// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/CheckMechanism.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace heddle::chem {
namespace {

// Balance of elements

/// Fractional coefficients are rounded: soot mechanisms give them to four digits.
constexpr double balanceTolerance = 1e-4;

std::vector<double> atomsOf(const Mechanism &mechanism, const std::vector<Term> &terms) {
  std::vector<double> atoms(mechanism.elements.size());
  for (const Term &term : terms)
    for (const ElementCount &part : mechanism.species[term.species].composition)
      atoms[part.element] += term.value * part.count;
  return atoms;
}

/// A species without elements is one whose thermo data are missing or wrong, which has been said.
bool isKnown(const Mechanism &mechanism, const Reaction &reaction) {
  auto isKnownTerm = [&](const Term &term) { return !mechanism.species[term.species].composition.empty(); };
  return std::ranges::all_of(reaction.reactants, isKnownTerm) &&
         std::ranges::all_of(reaction.products, isKnownTerm);
}

void checkBalance(const Mechanism &mechanism, const Reaction &reaction, Diagnostics &diagnostics) {
  if (!isKnown(mechanism, reaction))
    return;
  std::vector<double> left = atomsOf(mechanism, reaction.reactants),
                      right = atomsOf(mechanism, reaction.products);
  std::vector<std::string> unbalanced;
  for (size_t i = 0; i < left.size(); ++i)
    if (std::abs(left[i] - right[i]) > balanceTolerance * std::max(1.0, std::max(left[i], right[i])))
      unbalanced.push_back(fmt::format("{:g} {} to the left, {:g} to the right", left[i],
                                       mechanism.elements[i].name, right[i]));
  if (!unbalanced.empty())
    diagnostics
        .error(reaction.location, fmt::format("reaction '{}' is not balanced: {}", reaction.equation,
                                              fmt::join(unbalanced, "; ")))
        .withHint("correct the coefficients, or the composition in the thermo data");
}

// Duplicates

/// Both sides of a reaction, divided by its first coefficient, so that a multiple looks the same; and what
/// kind of collision it is, since H+CH2+M, H+CH2(+M) and H+CH2 do not exclude each other.
struct Likeness {
  std::vector<std::pair<unsigned, double>> reactants, products;
  int collision;

  auto operator<=>(const Likeness &) const = default;
};

std::vector<std::pair<unsigned, double>> sorted(const std::vector<Term> &terms, double divisor) {
  std::vector<std::pair<unsigned, double>> result;
  // Rounded, so that thirds and their multiples compare equal.
  for (const Term &term : terms)
    result.emplace_back(term.species, std::round(term.value / divisor * 1e9) / 1e9);
  std::ranges::sort(result);
  return result;
}

double smallestCoefficient(const Reaction &reaction) {
  double smallest = reaction.reactants[0].value;
  for (const auto *side : {&reaction.reactants, &reaction.products})
    for (const Term &term : *side)
      smallest = std::min(smallest, term.value);
  return smallest;
}

int collisionOf(const Reaction &reaction) {
  if (!reaction.collider)
    return 0;
  return (reaction.isFalloff() ? 2 : 1) +
         (reaction.collider->named ? 2 + 2 * int(*reaction.collider->named) : 0);
}

Likeness likenessOf(const Reaction &reaction, bool reversed) {
  double divisor = smallestCoefficient(reaction);
  Likeness result{sorted(reaction.reactants, divisor), sorted(reaction.products, divisor),
                  collisionOf(reaction)};
  if (reversed)
    std::swap(result.reactants, result.products);
  return result;
}

class DuplicateFinder {
public:
  DuplicateFinder(const Mechanism &mechanism, Diagnostics &diagnostics)
      : mechanism(mechanism), diagnostics(diagnostics) {}

  void run() {
    for (const Reaction &reaction : mechanism.reactions) {
      if (reaction.reactants.empty() || reaction.products.empty())
        continue;
      Likeness forward = likenessOf(reaction, false), reverse = likenessOf(reaction, true);
      const Reaction *other = find(forward, [](const Reaction &) { return true; });
      // Two one-way reactions in opposite directions are two reactions.
      if (!other && reverse != forward)
        other = find(reverse, [&](const Reaction &earlier) {
          return earlier.reverse != Reverse::None || reaction.reverse != Reverse::None;
        });
      if (other)
        report(reaction, *other);
      seen[std::move(forward)].push_back(&reaction);
    }
  }

private:
  /// An earlier reaction that is the same and not marked, or one that is marked where this one is not.
  template <typename Accept> const Reaction *find(const Likeness &likeness, Accept accept) const {
    auto found = seen.find(likeness);
    if (found == seen.end())
      return nullptr;
    for (const Reaction *earlier : found->second)
      if (accept(*earlier))
        return earlier;
    return nullptr;
  }

  void report(const Reaction &reaction, const Reaction &earlier) {
    if (reaction.duplicate && earlier.duplicate)
      return;
    const Reaction &unmarked = reaction.duplicate ? earlier : reaction;
    const Reaction &other = reaction.duplicate ? reaction : earlier;
    if (!reported.insert(&unmarked).second)
      return;
    diagnostics
        .error(unmarked.location,
               fmt::format("reaction '{}' is there twice and not marked as a duplicate", unmarked.equation))
        .note(other.location, fmt::format("the same as '{}' here", other.equation))
        .withHint("remove one of them, or mark both as duplicates");
  }

  const Mechanism &mechanism;
  Diagnostics &diagnostics;
  std::map<Likeness, std::vector<const Reaction *>> seen;
  std::set<const Reaction *> reported;
};

// Thermo data

void checkRanges(const Species &species, const std::vector<Nasa7Range> &ranges, Diagnostics &diagnostics) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!(ranges[i].low < ranges[i].high))
      diagnostics.error(species.location, fmt::format("the temperature range {} to {} K of '{}' is empty",
                                                      ranges[i].low, ranges[i].high, species.name));
    if (i > 0 && ranges[i].low != ranges[i - 1].high)
      diagnostics.error(
          species.location,
          fmt::format("the temperature ranges of '{}' do not meet: one ends at {} K, the next begins at "
                      "{} K",
                      species.name, ranges[i - 1].high, ranges[i].low));
  }
}

void checkSpecies(const Species &species, Diagnostics &diagnostics) {
  if (const auto *ranges = std::get_if<std::vector<Nasa7Range>>(&species.thermo))
    checkRanges(species, *ranges, diagnostics);
}

std::string nameOfTransportFile(const Mechanism &mechanism) {
  return std::filesystem::path(mechanism.transportFile).filename().string();
}

} // namespace

void checkMechanism(const Mechanism &mechanism, Diagnostics &diagnostics) {
  for (const Species &species : mechanism.species)
    checkSpecies(species, diagnostics);
  for (const Reaction &reaction : mechanism.reactions)
    checkBalance(mechanism, reaction, diagnostics);
  DuplicateFinder(mechanism, diagnostics).run();
}

void checkTransport(const Mechanism &mechanism, Diagnostics &diagnostics) {
  if (mechanism.transportFile.empty()) {
    diagnostics
        .error({.file = mechanism.species.empty() ? "" : mechanism.species[0].location.file},
               "the mechanism has no transport data")
        .withHint(
            "add tran.dat to the folder, name the transport file, or add 'transport' to the species of a "
            "YAML file; chemistry needs none (--kernel chemistry)");
    return;
  }
  for (const Species &species : mechanism.species)
    if (!species.transport)
      diagnostics
          .error(species.location, fmt::format("there are no transport data for species '{}'", species.name))
          .withHint(fmt::format("add them to {}; chemistry needs none (--kernel chemistry)",
                                nameOfTransportFile(mechanism)));
}

void warnWithoutTransport(const Mechanism &mechanism, Diagnostics &diagnostics) {
  if (mechanism.transportFile.empty())
    return;
  for (const Species &species : mechanism.species)
    if (!species.transport)
      diagnostics
          .warning(
              species.location,
              fmt::format("there are no transport data for species '{}'; transport is omitted", species.name))
          .withHint(fmt::format("add them to {}", nameOfTransportFile(mechanism)));
}

} // namespace heddle::chem
