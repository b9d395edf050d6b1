// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/CheckMechanism.h"

#include "chem/Constants.h"
#include "chem/RateConstant.h"
#include "chem/Thermo.h"

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

/// One molecule of a species less, if there is one.
bool removeOne(std::vector<Term> &terms, unsigned species) {
  const auto term = std::ranges::find(terms, species, &Term::species);
  if (term == terms.end() || term->value < 1)
    return false;
  term->value -= 1;
  if (term->value == 0)
    terms.erase(term);
  return true;
}

/// The reaction with M in place of each species that is on both sides of it.
std::vector<Reaction> withColliders(const Reaction &reaction) {
  std::vector<Reaction> result;
  for (const Term &term : reaction.reactants) {
    Reaction other = reaction;
    if (reaction.collider || !removeOne(other.reactants, term.species) ||
        !removeOne(other.products, term.species))
      continue;
    other.collider.emplace();
    result.push_back(std::move(other));
  }
  return result;
}

class DuplicateFinder {
public:
  DuplicateFinder(const Mechanism &mechanism, Diagnostics &diagnostics)
      : mechanism(mechanism), diagnostics(diagnostics) {}

  void run() {
    warnOfSingles();
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

  /// A reaction that is marked and has no partner, whatever its direction and its third body: most likely one of two
  /// equations is misspelt.
  void warnOfSingles() {
    std::map<Likeness, unsigned> count;
    const auto keyOf = [](const Reaction &reaction) {
      Likeness forward = likenessOf(reaction, false), reverse = likenessOf(reaction, true);
      forward.collision = reverse.collision = 0;
      return std::min(forward, reverse);
    };
    const auto isComplete = [](const Reaction &reaction) {
      return !reaction.reactants.empty() && !reaction.products.empty();
    };
    for (const Reaction &reaction : mechanism.reactions)
      if (isComplete(reaction))
        ++count[keyOf(reaction)];
    // Cantera takes a species on both sides for a collider: with H2O+M=H+OH+M in the file, it requires both to be marked if there is
    // H2O+OH=H+2OH as well.
    std::set<Likeness> withM, withSpecies;
    for (const Reaction &reaction : mechanism.reactions) {
      if (isComplete(reaction) && reaction.collider)
        withM.insert(keyOf(reaction));
      for (const Reaction &other : withColliders(reaction))
        if (isComplete(other))
          withSpecies.insert(keyOf(other));
    }
    const auto differsInCollider = [&](const Reaction &reaction) {
      return reaction.collider ? withSpecies.contains(keyOf(reaction))
                               : std::ranges::any_of(withColliders(reaction), [&](const Reaction &other) {
                                   return isComplete(other) && withM.contains(keyOf(other));
                                 });
    };
    for (const Reaction &reaction : mechanism.reactions)
      if (reaction.duplicate && isComplete(reaction) && count[keyOf(reaction)] == 1 &&
          !differsInCollider(reaction))
        diagnostics.warning(
            reaction.location,
            fmt::format("reaction '{}' is marked as a duplicate, but occurs once", reaction.equation));
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

// Rates

void checkShape(const Reaction &, const Lindemann &, Diagnostics &) {}

/// Files write zeros where they mean that a term is absent; CHEMKIN's formula has exp(0) = 1 for T2.
void checkShape(const Reaction &reaction, const Troe &troe, Diagnostics &diagnostics) {
  const auto warn = [&](const char *name) {
    diagnostics.warning(
        reaction.location,
        fmt::format("Troe's {} of reaction '{}' is zero: its term is left out", name, reaction.equation));
  };
  if (troe.t3 == 0 && troe.a != 1)
    warn("T***");
  if (troe.t1 == 0 && troe.a != 0)
    warn("T*");
  if (troe.t2 && *troe.t2 == 0)
    warn("T**");
  if ((troe.t3 == 0 || troe.a == 1) && (troe.t1 == 0 || troe.a == 0) && troe.t2.value_or(0) == 0)
    diagnostics.warning(
        reaction.location,
        fmt::format("Troe's F_cent of reaction '{}' has no term left: its rate is practically zero",
                    reaction.equation));
}

void checkShape(const Reaction &reaction, const Sri &sri, Diagnostics &diagnostics) {
  if (sri.a < 0 || sri.c < 0 || sri.d <= 0)
    diagnostics.error(
        reaction.location,
        fmt::format("SRI of reaction '{}' has a = {:g}, c = {:g} and d = {:g}; it takes a >= 0, c >= 0 "
                    "and d > 0",
                    reaction.equation, sri.a, sri.c, sri.d));
}

void checkRate(const Reaction &reaction, const Falloff &rate, Diagnostics &diagnostics) {
  // The reduced pressure would be negative, and the rate has a pole where it is -1.
  if (rate.low.a * rate.high.a < 0)
    diagnostics.error(
        reaction.location,
        fmt::format("the two limits of reaction '{}' have factors A of different sign", reaction.equation));
  std::visit([&](const auto &shape) { checkShape(reaction, shape, diagnostics); }, rate.shape);
}

/// Temperatures at which sums of rates are tried.
constexpr double triedTemperatures[] = {300, 500, 1000, 1500, 2000, 3000};

void checkRate(const Reaction &reaction, const Plog &rate, Diagnostics &diagnostics) {
  if (isNegative(rate))
    return;
  for (const Plog::Point &point : rate.points)
    for (double temperature : triedTemperatures)
      if (sumOfRates(point, temperature) < 0) {
        diagnostics.warning(
            reaction.location,
            fmt::format("the rates of reaction '{}' at {:.4g} atm add up to a negative number at {} "
                        "K; it counts as zero",
                        reaction.equation, point.pressure / oneAtmosphere, temperature));
        return;
      }
}

template <class Other> void checkRate(const Reaction &, const Other &, Diagnostics &) {}

bool hasNegativeFactor(const Arrhenius &rate) { return rate.a < 0; }
bool hasNegativeFactor(const LandauTeller &rate) { return rate.arrhenius.a < 0; }
bool hasNegativeFactor(const Falloff &rate) { return rate.low.a < 0 && rate.high.a < 0; }
bool hasNegativeFactor(const Plog &rate) { return isNegative(rate); }
bool hasNegativeFactor(const Chebyshev &) { return false; }

/// A negative rate corrects that of a duplicate; alone, it is most likely a wrong sign.
void checkSign(const Reaction &reaction, Diagnostics &diagnostics) {
  const bool isNegativeRate =
      std::visit([](const auto &rate) { return hasNegativeFactor(rate); }, reaction.rate);
  if (isNegativeRate && !reaction.duplicate && !reaction.statesNegativeFactor)
    diagnostics.warning(
        reaction.location,
        fmt::format("the factor A of reaction '{}' is negative, and the reaction is no duplicate",
                    reaction.equation));
}

/// Then forward and reverse rate are not equal at equilibrium. CHEMKIN accepts it; in a YAML file it is an error.
void checkOrders(const Reaction &reaction, Diagnostics &diagnostics) {
  if (reaction.reverse == Reverse::Equilibrium && (reaction.forwardOrders || reaction.reverseOrders))
    diagnostics
        .warning(reaction.location,
                 fmt::format("reaction '{}' has orders and a reverse rate from the equilibrium constant: its "
                             "net rate is not zero at equilibrium",
                             reaction.equation))
        .withHint("write it as '=>', or give the reverse rate with REV");
}

void checkEfficiencies(const Mechanism &mechanism, const Reaction &reaction, Diagnostics &diagnostics) {
  if (!reaction.collider)
    return;
  if (reaction.collider->defaultEfficiency < 0)
    diagnostics.error(reaction.location,
                      fmt::format("the default efficiency of reaction '{}' is negative", reaction.equation));
  for (const Term &term : reaction.collider->efficiencies)
    if (term.value < 0)
      diagnostics.error(reaction.location,
                        fmt::format("the efficiency of {} in reaction '{}' is negative",
                                    mechanism.species[term.species].name, reaction.equation));
}

// Species

/// Atoms without electrons, which are elements of ions.
double atomCount(const Mechanism &mechanism, const Species &species) {
  double count = 0;
  for (const ElementCount &part : species.composition)
    if (mechanism.elements[part.element].name != "E")
      count += part.count;
  return count;
}

std::string_view nameOf(Geometry geometry) {
  switch (geometry) {
  case Geometry::Atom: return "0 (atom)";
  case Geometry::Linear: return "1 (linear)";
  case Geometry::Nonlinear: return "2 (nonlinear)";
  }
  return "";
}

/// The geometry decides how many rotations carry heat. Fractional numbers of atoms are those of lumped species.
void checkGeometry(const Mechanism &mechanism, const Species &species, Diagnostics &diagnostics) {
  const double atoms = atomCount(mechanism, species);
  if (!species.transport || species.composition.empty() || atoms != std::round(atoms) || atoms < 1)
    return;
  const Geometry geometry = species.transport->geometry;
  const char *wanted = atoms == 1                   ? "0 (atom)"
                       : atoms == 2                 ? "1 (linear)"
                       : geometry == Geometry::Atom ? "1 (linear) or 2 (nonlinear)"
                                                    : nullptr;
  if (wanted && !std::string_view(wanted).starts_with(nameOf(geometry)))
    diagnostics.error(
        species.location,
        fmt::format("species '{}' has {} atom{}: the geometry in its transport data must be {}, not {}",
                    species.name, atoms, atoms == 1 ? "" : "s", wanted, nameOf(geometry)));
}

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

// Jumps of thermo data. Most published ones are below 1e-3; a digit that is wrong gives jumps far above these
// limits. A jump of 0.01 in h/RT or s/R changes an equilibrium constant by 1 %.
constexpr double mostRelativeJump = 0.01; ///< of cp/R
constexpr double mostJump = 0.01;         ///< of h/RT and s/R
constexpr size_t mostSpeciesNamed = 10;

/// How two ranges differ at the temperature where they meet.
struct Jump {
  const Species *species = nullptr;
  double temperature = 0;
  double heatCapacity = 0, enthalpy = 0, entropy = 0;

  /// In units of the limits.
  double size() const {
    return std::max({std::abs(heatCapacity) / mostRelativeJump, std::abs(enthalpy) / mostJump,
                     std::abs(entropy) / mostJump});
  }
  std::string text() const {
    return fmt::format("those of '{}' at {:g} K: cp/R by {:.2g} %, h/RT by {:.2g}, s/R by {:.2g}",
                       species->name, temperature, 100 * heatCapacity, enthalpy, entropy);
  }
};

/// The largest of a species.
Jump jumpOf(const Species &species) {
  Jump worst;
  const auto *ranges = std::get_if<std::vector<Nasa7Range>>(&species.thermo);
  for (size_t i = 1; ranges && i < ranges->size(); ++i) {
    const Thermo below = std::vector{(*ranges)[i - 1]}, above = std::vector{(*ranges)[i]};
    const double t = (*ranges)[i].low, cp = heatCapacity(below, t);
    if (t != (*ranges)[i - 1].high || t <= 0)
      continue; // an error of its own
    const Jump jump{&species, t, (heatCapacity(above, t) - cp) / std::max(std::abs(cp), mostJump),
                    enthalpy(above, t) - enthalpy(below, t), entropy(above, t) - entropy(below, t)};
    if (jump.size() > worst.size())
      worst = jump;
  }
  return worst;
}

/// One message, however many species jump.
void checkContinuity(const Mechanism &mechanism, Diagnostics &diagnostics) {
  std::vector<Jump> jumps;
  for (const Species &species : mechanism.species)
    if (Jump jump = jumpOf(species); jump.size() > 1)
      jumps.push_back(jump);
  if (jumps.empty())
    return;
  std::ranges::stable_sort(jumps, std::greater(), &Jump::size);
  Diagnostic &warning = diagnostics.warning(
      jumps[0].species->location,
      fmt::format("the thermo data of {} species jump where two temperature ranges meet; {}{}", jumps.size(),
                  jumps.size() == 1 ? "" : "the most, ", jumps[0].text()));
  for (size_t i = 1; i < std::min(jumps.size(), mostSpeciesNamed); ++i)
    warning.note(jumps[i].species->location, jumps[i].text());
}

void checkSpecies(const Mechanism &mechanism, const Species &species, Diagnostics &diagnostics) {
  checkGeometry(mechanism, species, diagnostics);
  if (const auto *ranges = std::get_if<std::vector<Nasa7Range>>(&species.thermo))
    checkRanges(species, *ranges, diagnostics);
}

std::string nameOfTransportFile(const Mechanism &mechanism) {
  return std::filesystem::path(mechanism.transportFile).filename().string();
}

std::string unsupportedTransport(const Mechanism &mechanism) {
  return fmt::format("the transport model '{}' is not supported", mechanism.unsupportedTransport);
}

const char *const whereTransportIsSearched = "they are read from tran.dat, trans.dat, transport.dat or "
                                             "tran.inp of a folder, from a file given by name, "
                                             "or from 'transport' of the species of a YAML file";

} // namespace

void checkMechanism(const Mechanism &mechanism, Diagnostics &diagnostics) {
  for (const Species &species : mechanism.species)
    checkSpecies(mechanism, species, diagnostics);
  checkContinuity(mechanism, diagnostics);
  for (const Reaction &reaction : mechanism.reactions) {
    checkBalance(mechanism, reaction, diagnostics);
    checkSign(reaction, diagnostics);
    checkOrders(reaction, diagnostics);
    checkEfficiencies(mechanism, reaction, diagnostics);
    std::visit([&](const auto &rate) { checkRate(reaction, rate, diagnostics); }, reaction.rate);
  }
  DuplicateFinder(mechanism, diagnostics).run();
}

void checkTransport(const Mechanism &mechanism, Diagnostics &diagnostics) {
  if (!mechanism.unsupportedTransport.empty())
    diagnostics.error(mechanism.transportModelLocation, unsupportedTransport(mechanism))
        .withHint("transport kernels are mixture-averaged: change it to 'mixture-averaged' if that is meant; "
                  "chemistry needs none (--kernel chemistry)");
  if (mechanism.transportFile.empty()) {
    diagnostics
        .error({.file = mechanism.species.empty() ? "" : mechanism.species[0].location.file},
               "the mechanism has no transport data")
        .withHint(std::string(whereTransportIsSearched) + "; chemistry needs none (--kernel chemistry)");
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
  if (mechanism.transportFile.empty()) {
    diagnostics
        .warning({.file = mechanism.species.empty() ? "" : mechanism.species[0].location.file},
                 "the mechanism has no transport data: viscosity, conductivity and diffusion are omitted")
        .withHint(whereTransportIsSearched);
    return;
  }
  for (const Species &species : mechanism.species)
    if (!species.transport)
      diagnostics
          .warning(
              species.location,
              fmt::format("there are no transport data for species '{}'; transport is omitted", species.name))
          .withHint(fmt::format("add them to {}", nameOfTransportFile(mechanism)));
}

void warnOfTransportModel(const Mechanism &mechanism, Diagnostics &diagnostics) {
  if (!mechanism.unsupportedTransport.empty())
    diagnostics
        .warning(mechanism.transportModelLocation,
                 unsupportedTransport(mechanism) + ": transport, if it is computed, is mixture-averaged")
        .withHint("change it to 'mixture-averaged' if that is meant");
}

} // namespace heddle::chem
