// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport properties as polynomials of ln T.
//
// Viscosity, conductivity and diffusion of species and pairs come from collision integrals, which are too
// expensive for a kernel. They are smooth in ln T, so each is fitted once, in the forms of Chemkin or of
// Cantera (Fits.h).
//
// 1. The property is computed at `fittedPoints` temperatures, evenly spread over the range in which all
//    species are valid.
// 2. Least squares minimizes the relative error: where the fitted quantity is not a logarithm, points are
//    weighted by its reciprocal.
// 3. The largest relative error is looked for between the fitted points too, and reported with the fits.
//
// Powers of T take out the leading behaviour (mu ~ sqrt T, D ~ T^1.5), so that the polynomial has little left
// to do; the inverse of D, scaled by T^1.5, saves the kernel a division for each pair. Cost: species^2 / 2
// fits for the pairs.
#include "chem/Fits.h"

#include "chem/KineticTheory.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle::chem {
namespace {

constexpr unsigned fittedPoints = 50;
/// The error is looked for between the fitted points too: four for each interval of theirs.
constexpr unsigned checkedPoints = (fittedPoints - 1) * 4 + 1;

/// A fit of 1/(D P) this close to the data lies well within what is known of them.
constexpr double goodReciprocalFit = 5e-3;

using Property = std::function<double(double temperature)>;

/// What of a property is a polynomial in ln T, and the way back.
struct Scaling {
  double (*toFitted)(double value, double temperature);
  double (*fromFitted)(double fitted, double temperature);
  bool relative; ///< weigh distances by the fitted value, as where that is no logarithm
};

const Scaling logarithm = {[](double y, double) { return std::log(y); },
                           [](double p, double) { return std::exp(p); }, false};
const Scaling rootOverFourthRoot = {[](double y, double t) { return std::sqrt(y / std::sqrt(t)); },
                                    [](double p, double t) { return std::sqrt(t) * p * p; }, true};
const Scaling overRoot = {[](double y, double t) { return y / std::sqrt(t); },
                          [](double p, double t) { return p * std::sqrt(t); }, true};
const Scaling overThreeHalves = {[](double y, double t) { return y / std::pow(t, 1.5); },
                                 [](double p, double t) { return p * std::pow(t, 1.5); }, true};
const Scaling timesThreeHalves = {[](double y, double t) { return y * std::pow(t, 1.5); },
                                  [](double p, double t) { return p / std::pow(t, 1.5); }, true};

/// The scalings of the three properties in a form.
struct FormScalings {
  unsigned degree;
  const Scaling &viscosity, &conductivity, &diffusion;
};

FormScalings scalingsOf(FitForm form) {
  return form == FitForm::Chemkin ? FormScalings{3, logarithm, logarithm, logarithm}
                                  : FormScalings{4, rootOverFourthRoot, overRoot, overThreeHalves};
}

std::vector<double> spread(const TemperatureRange &range, unsigned count) {
  std::vector<double> points;
  for (unsigned n = 0; n < count; ++n)
    points.push_back(range.low + (range.high - range.low) / (count - 1) * n);
  return points;
}

/// Fits of real data are below 7 %, but for one heat capacity that jumps at 1000 K (44 %).
constexpr double poorFit = 0.1;

double largestError(const Polynomial &fit, const Property &property, const Scaling &scaling,
                    const TemperatureRange &range) {
  double largest = 0;
  for (double t : spread(range, checkedPoints)) {
    double wanted = property(t), got = scaling.fromFitted(fit(std::log(t)), t);
    largest = std::max(largest, std::abs(got / wanted - 1));
  }
  return largest;
}

/// Fits a property and lets `error` grow to this fit's.
Polynomial fit(const Property &property, const Scaling &scaling, unsigned degree,
               const TemperatureRange &range, double &error) {
  std::vector<double> x, y, weights;
  for (double t : spread(range, fittedPoints)) {
    x.push_back(std::log(t));
    y.push_back(scaling.toFitted(property(t), t));
    weights.push_back(scaling.relative ? 1 / y.back() : 1);
  }
  Polynomial result = fitPolynomial(degree, x, y, weights);
  error = std::max(error, largestError(result, property, scaling, range));
  return result;
}

/// One fit for each pair, in the order of pairIndex.
std::vector<Polynomial> fitPairs(const Mechanism &mechanism, const Scaling &scaling, unsigned degree,
                                 bool reciprocal, const TemperatureRange &range, double &error) {
  std::vector<Polynomial> fits;
  for (size_t i = 0; i < mechanism.species.size(); ++i)
    for (size_t j = i; j < mechanism.species.size(); ++j) {
      CollisionPair pair = pairOf(mechanism.species[i], mechanism.species[j]);
      Property property = [&](double t) {
        return reciprocal ? 1 / pairDiffusion(pair, t) : pairDiffusion(pair, t);
      };
      fits.push_back(fit(property, scaling, degree, range, error));
    }
  return fits;
}

std::vector<double> valuesOf(const std::vector<Polynomial> &fits, const Scaling &scaling,
                             double temperature) {
  std::vector<double> values;
  for (const Polynomial &fit : fits)
    values.push_back(scaling.fromFitted(fit(std::log(temperature)), temperature));
  return values;
}

} // namespace

size_t pairIndex(size_t i, size_t j, size_t speciesCount) {
  size_t low = std::min(i, j), high = std::max(i, j);
  return low * speciesCount - low * (low + 1) / 2 + high;
}

void warnOfFits(const Mechanism &mechanism, const TransportFits &fits, Diagnostics &diagnostics) {
  const auto warn = [&](const char *what, size_t species, double error) {
    if (error > poorFit)
      diagnostics.warning(
          mechanism.species[species].location,
          fmt::format(
              "the fit of the {} of '{}' has an error of {:.2g} %: its data change too fast with temperature",
              what, mechanism.species[species].name, 100 * error));
  };
  warn("viscosity", fits.errors.ofViscosity, fits.errors.viscosity);
  warn("conductivity", fits.errors.ofConductivity, fits.errors.conductivity);
}

TransportFits fitTransport(const Mechanism &mechanism, FitForm form) {
  FormScalings scalings = scalingsOf(form);
  TransportFits fits = {form, validRange(mechanism), {}, {}, {}, {}};
  FitErrors &errors = fits.errors;
  for (const Species &species : mechanism.species) {
    const FitErrors before = errors;
    fits.viscosity.push_back(fit([&](double t) { return pureViscosity(species, t); }, scalings.viscosity,
                                 scalings.degree, fits.range, fits.errors.viscosity));
    fits.conductivity.push_back(fit([&](double t) { return pureConductivity(species, t); },
                                    scalings.conductivity, scalings.degree, fits.range,
                                    fits.errors.conductivity));
    const size_t k = fits.viscosity.size() - 1;
    errors.ofViscosity = errors.viscosity > before.viscosity ? k : before.ofViscosity;
    errors.ofConductivity = errors.conductivity > before.conductivity ? k : before.ofConductivity;
  }
  fits.diffusion =
      fitPairs(mechanism, scalings.diffusion, scalings.degree, false, fits.range, fits.errors.diffusion);
  return fits;
}

ReciprocalDiffusionFits fitReciprocalDiffusion(const Mechanism &mechanism, unsigned degree) {
  ReciprocalDiffusionFits fits = {validRange(mechanism), {}, 0};
  fits.pairs = fitPairs(mechanism, timesThreeHalves, degree, true, fits.range, fits.error);
  return fits;
}

ReciprocalDiffusionFits fitReciprocalDiffusion(const Mechanism &mechanism) {
  ReciprocalDiffusionFits fits = fitReciprocalDiffusion(mechanism, 3);
  return fits.error > goodReciprocalFit ? fitReciprocalDiffusion(mechanism, 4) : fits;
}

std::vector<double> viscosities(const TransportFits &fits, double temperature) {
  return valuesOf(fits.viscosity, scalingsOf(fits.form).viscosity, temperature);
}

std::vector<double> conductivities(const TransportFits &fits, double temperature) {
  return valuesOf(fits.conductivity, scalingsOf(fits.form).conductivity, temperature);
}

std::vector<double> diffusions(const TransportFits &fits, double temperature) {
  return valuesOf(fits.diffusion, scalingsOf(fits.form).diffusion, temperature);
}

std::vector<double> reciprocalDiffusions(const ReciprocalDiffusionFits &fits, double temperature) {
  return valuesOf(fits.pairs, timesThreeHalves, temperature);
}

} // namespace heddle::chem
