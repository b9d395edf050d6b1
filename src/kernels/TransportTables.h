// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers in generated transport kernels, computed from fits so that little is left to do at each
// point.
//
// Fits are polynomials in ln T, whose terms are large and cancel. Generated code has them as polynomials in
// u = log2(T / 1024), which is between -2 and 2: the terms are small, and log2 of a number scaled by a power
// of two has no rounding error of its whole part.
//
// Wilke's rule, with a_k = sqrt(eta_k) W_k^(-1/4) and b_k = 1/a_k:
//
//     eta  = sum_k x_k a_k^2 / sum_j m_kj x_j (1 + a_k b_j)^2,   m_kj = sqrt(W_j / (8 W_k (W_k + W_j)))
//
// so one constant matrix does: with D0 = m x, D1 = m (x b), D2 = m (x b^2) the k-th term is
// x_k / (b_k (b_k D0 + 2 D1) + D2).
#pragma once

#include "kernels/Real.h"
#include "kernels/Transport.h"

#include <string>

namespace heddle::kernels {

/// Fits of one property all have the same degree.
size_t coefficientCount(const std::vector<chem::Polynomial> &fits);

/// Coefficients of p(ln T) as a polynomial in u, times a factor.
std::vector<double> inU(const chem::Polynomial &p, long double factor);

/// Rows of numbers as a C initializer, one line each, with a comment at its end. Rows of one number have no
/// braces.
struct TableRow {
  std::vector<double> values;
  std::string comment;
};
std::string tableText(const std::vector<TableRow> &rows, const Real &real);

/// Tables of viscosity. `fits` gives log2 b_k in Chemkin's form, and a_k / T^(1/4) in Cantera's.
struct WilkeTables {
  std::vector<TableRow> fits;
  std::vector<TableRow> weights; ///< W, sqrt(W) and 1/sqrt(8 W) over the unit of the result
  size_t coefficients = 0;
};
WilkeTables wilkeTables(const TransportModel &model, Units units);
/// m_kj over the unit of the result.
double wilkeElement(const TransportModel &model, Units units, size_t k, size_t j);

/// log2 lambda_k in Chemkin's form, lambda_k / T^(1/2) in Cantera's, in the unit of the result.
std::vector<TableRow> conductivityFits(const TransportModel &model, Units units);

/// Coefficients of T^(3/2)/(D_jk P) for j < k, in the order (0,1), (0,2), ..., (1,2), ...
std::vector<TableRow> diffusionPairs(const TransportModel &model);
/// The same for one pair; zeros where it is one species twice.
std::vector<double> diffusionPair(const TransportModel &model, size_t j, size_t k);

std::vector<TableRow> weightRows(const TransportModel &model);

/// How many of the result's units one SI unit is; for diffusion with the pressure's unit in it.
double unitOf(Kernel kernel, Units units);

} // namespace heddle::kernels
