// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation in the tables, in two steps, the same as Cantera's so that its fits can be met to more than
// the tables' own four digits:
//
//   over delta*   a polynomial of degree 6 through the eight values of a row, by least squares; the first
//   column
//                 itself where delta* is zero
//   over ln T*    a parabola through three rows: the one below, and the two above it
//
// The last row is left to extrapolation (the parabola of 40, 50 and 75 goes on above 75), again as there:
// only helium and hydrogen get so far, and between 75 and 100 the difference is below 0.1 %.
#include "chem/CollisionIntegrals.h"

#include "chem/Polynomial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace heddle::chem {
namespace {

constexpr unsigned dipoleCount = 8, dipoleDegree = 6;
constexpr std::array<double, dipoleCount> dipoles = {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5};

struct Row {
  double temperature;
  std::array<double, dipoleCount> values;
};

#define HEDDLE_COLLISION(T, ...) {T, {__VA_ARGS__}},
constexpr Row omega22Rows[] = {
#include "chem/CollisionOmega22.def"
};
constexpr Row aStarRows[] = {
#include "chem/CollisionAStar.def"
};
#undef HEDDLE_COLLISION

/// A table with the polynomial over delta* of each row.
class Table {
public:
  template <size_t N> explicit Table(const Row (&given)[N]) : rows(given, given + N) {
    std::vector<double> x(dipoles.begin(), dipoles.end());
    for (const Row &row : rows)
      overDipole.push_back(fitPolynomial(dipoleDegree, x, {row.values.begin(), row.values.end()}));
  }

  double operator()(const ReducedState &at) const {
    size_t i = firstRow(at.temperature);
    std::array<double, 3> x, y;
    for (size_t n = 0; n < 3; ++n) {
      x[n] = std::log(rows[i + n].temperature);
      y[n] = at.dipole == 0 ? rows[i + n].values[0] : overDipole[i + n](at.dipole);
    }
    return parabola(x, y, std::log(at.temperature));
  }

private:
  std::vector<Row> rows;
  std::vector<Polynomial> overDipole;

  /// The row below a reduced temperature, but not so high that three and the last one do not fit after it.
  size_t firstRow(double temperature) const {
    auto above = std::ranges::upper_bound(rows, temperature, {}, &Row::temperature);
    size_t below = above == rows.begin() ? 0 : above - rows.begin() - 1;
    return std::min(below, rows.size() - 4);
  }

  /// Newton's form through three points.
  static double parabola(const std::array<double, 3> &x, const std::array<double, 3> &y, double at) {
    double slope = (y[1] - y[0]) / (x[1] - x[0]);
    double bend = ((y[2] - y[1]) / (x[2] - x[1]) - slope) / (x[2] - x[0]);
    return y[0] + (at - x[0]) * (slope + (at - x[1]) * bend);
  }
};

} // namespace

double omega22(const ReducedState &at) {
  static const Table table(omega22Rows);
  return table(at);
}

double omega11(const ReducedState &at) {
  static const Table aStar(aStarRows);
  return omega22(at) / aStar(at);
}

} // namespace heddle::chem
