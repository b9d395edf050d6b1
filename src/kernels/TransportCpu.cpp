// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's form: vectors of points, the same sums with constant matrices as the matrix form. Two vectors of
// points and a few rows of a matrix are worked on together, so that most vector registers are sums and every
// value that is loaded is used several times. Values of one block of points stay in the first cache.
#include "kernels/Template.h"
#include "kernels/TransportForms.h"

#include <fmt/format.h>

namespace heddle::kernels {
namespace {

constexpr std::string_view frame = R"(#include "heddle_host.h"

namespace {

constexpr int species = $species$;
constexpr int width = 2; // vectors of points that are worked on together
constexpr size_t blockPoints = width * HDL_LANES;
constexpr double least = 1e-20; // a mole fraction below this counts as this much

typedef hdl_vec Points[width];

inline void loadFraction(Points &x, const double *moleFractions, size_t p, size_t points) {
  load(x, moleFractions, p, points);
  HDL_UNROLL
  for (int i = 0; i < width; ++i)
    x[i] = hdl_max(x[i], hdl_all(least));
}

/// log2(T/1024), which all fits are polynomials in
inline void loadTemperature(Points &u, const double *temperature, size_t p, size_t points) {
  load(u, temperature, p, points);
  HDL_UNROLL
  for (int i = 0; i < width; ++i)
    u[i] = hdl_log2(u[i] * (1.0 / 1024));
}

$tables$
void evaluate(const Fields &f, size_t p) {
$body$}

} // namespace

extern "C" int $name$(size_t points, size_t stride, const double *temperature, const double *pressure,
    const double *moleFractions, double *result, int threads) {
  if (points == 0)
    return 0;
  if (!temperature || !moleFractions || !result || stride < points || threads < 0$orNoPressure$)
    return 1; // HEDDLE_BAD_ARGUMENT
  const Fields fields = {points, stride, temperature, pressure, moleFractions, result};
  evaluateAll(points, blockPoints, threads, [&](size_t p) { evaluate(fields, p); });
  return 0;
}
)";

std::string framed(const TransportTask &task, const std::string &tables, const std::string &body) {
  return fillIn(frame, {{"species", std::to_string(task.species())},
                        {"tables", tables},
                        {"body", body},
                        {"orNoPressure", task.kernel == Kernel::Diffusion ? " || !pressure" : ""},
                        {"name", task.name}});
}

// ---- viscosity

constexpr std::string_view viscosityTables = R"(/// Polynomials in u: $fitted$
const double fits[species][$coefficients$] = {
$fits$};

/// W, sqrt(W), 1/sqrt(8 W)$perUnit$
const double weights[species][3] = {
$weights$};

/// b_k = 1/a_k at u
inline hdl_vec inverseRoot(int k, hdl_vec u) {
  const double *c = fits[k];
  return $inverse$;
}

/// Rows that are worked on together: three sums of `width` vectors each have to fit into 32 or 16 registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int rows = 3;
#else
constexpr int rows = 2;
#endif
constexpr int rowBlocks = (species + rows - 1) / rows;

/// m_kj = sqrt(W_j / (8 W_k (W_k + W_j))), in the order it is used; zero in rows that do not exist.
struct Matrix {
  double m[rowBlocks][species][rows] = {};

  Matrix() {
    for (int k = 0; k < species; ++k)
      for (int j = 0; j < species; ++j)
        m[k / rows][j][k % rows] = weights[j][1] * weights[k][2] / __builtin_sqrt(weights[j][0] + weights[k][0]);
  }
};
)";

constexpr std::string_view viscosityBody = R"(  static const Matrix matrix;
  Points u, x[species], xb[species], xbb[species];
  loadTemperature(u, f.temperature, p, f.points);
  for (int k = 0; k < species; ++k) {
    loadFraction(x[k], f.moleFractions + k * f.stride, p, f.points);
    HDL_UNROLL
    for (int i = 0; i < width; ++i) {
      const hdl_vec b = inverseRoot(k, u[i]);
      xb[k][i] = x[k][i] * b;
      xbb[k][i] = xb[k][i] * b;
    }
  }
  Points sum = {};
  for (int n = 0; n < rowBlocks; ++n) {
    Points d0[rows] = {}, d1[rows] = {}, d2[rows] = {}; // m x, m (x b), m (x b^2)
    for (int j = 0; j < species; ++j) {
      HDL_UNROLL
      for (int r = 0; r < rows; ++r) {
        const double m = matrix.m[n][j][r];
        HDL_UNROLL
        for (int i = 0; i < width; ++i) {
          d0[r][i] += m * x[j][i];
          d1[r][i] += m * xb[j][i];
          d2[r][i] += m * xbb[j][i];
        }
      }
    }
    // Term k is x_k / (b_k (b_k d0 + 2 d1) + d2), here with x_k^2 above and below.
    HDL_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int k = n * rows + r;
      if (k < species) {
        HDL_UNROLL
        for (int i = 0; i < width; ++i) {
          const hdl_vec xk = x[k][i], xbk = xb[k][i];
          sum[i] += xk * xk * xk / (xbk * (xbk * d0[r][i] + (xk + xk) * d1[r][i]) + xk * xk * d2[r][i]);
        }
      }
    }
  }
$factor$  store(sum, f.result, p, f.points);
)";

/// T^(1/2) = 32 * 2^(u/2)
constexpr std::string_view timesRoot = R"(  HDL_UNROLL
  for (int i = 0; i < width; ++i)
    $what$[i] *= $half$ * hdl_exp2(0.5 * u[i]); // T^(1/2)$comment$
)";

std::string viscosity(const TransportTask &task) {
  const bool chemkin = task.chemkin();
  const WilkeTables wilke = wilkeTables(task.model, task.options.units);
  std::string tables = fillIn(
      viscosityTables,
      {{"fitted", chemkin ? "log2 of b_k = W_k^(1/4) / sqrt(eta_k)." : "sqrt(eta_k) W_k^(-1/4) T^(-1/4)."},
       {"coefficients", std::to_string(wilke.coefficients)},
       {"fits", tableText(wilke.fits)},
       {"perUnit", task.options.units == Units::Si ? "" : " over the unit of the result"},
       {"weights", tableText(wilke.weights)},
       {"inverse",
        (chemkin ? "hdl_exp2(" : "hdl_rcp(") + hornerOperators(wilke.coefficients, "c", "u") + ")"}});
  std::string factor = chemkin ? "" : fillIn(timesRoot, {{"what", "sum"}, {"half", "32.0"}, {"comment", ""}});
  return framed(task, tables, fillIn(viscosityBody, {{"factor", factor}}));
}

// ---- conductivity

constexpr std::string_view conductivityBody = R"(  Points u, sum = {}, reciprocals = {}, result;
  loadTemperature(u, f.temperature, p, f.points);
  int k = 0;
  for (; k + 4 <= species; k += 4) {
    Points x[4];
    HDL_UNROLL
    for (int n = 0; n < 4; ++n)
      loadFraction(x[n], f.moleFractions + (k + n) * f.stride, p, f.points);
    HDL_UNROLL
    for (int i = 0; i < width; ++i) {
      const hdl_vec a = lambda(k, u[i]), b = lambda(k + 1, u[i]);
      const hdl_vec c = lambda(k + 2, u[i]), d = lambda(k + 3, u[i]);
      sum[i] += x[0][i] * a + x[1][i] * b + x[2][i] * c + x[3][i] * d;
      // Four quotients with one division.
      const hdl_vec ab = a * b, cd = c * d;
      const hdl_vec above = (x[0][i] * b + x[1][i] * a) * cd + (x[2][i] * d + x[3][i] * c) * ab;
      reciprocals[i] += above / (ab * cd);
    }
  }
  for (; k < species; ++k) {
    Points x;
    loadFraction(x, f.moleFractions + k * f.stride, p, f.points);
    HDL_UNROLL
    for (int i = 0; i < width; ++i) {
      const hdl_vec a = lambda(k, u[i]);
      sum[i] += x[i] * a;
      reciprocals[i] += x[i] / a;
    }
  }
  HDL_UNROLL
  for (int i = 0; i < width; ++i)
    result[i] = $half$(sum[i] + 1.0 / reciprocals[i]);
$factor$  store(result, f.result, p, f.points);
)";

constexpr std::string_view conductivityTables = R"(/// Polynomials in u: $fitted$
const double fits[species][$coefficients$] = {
$fits$};

/// A species' conductivity$over$
inline hdl_vec lambda(int k, hdl_vec u) {
  const double *c = fits[k];
  return $lambda$;
}
)";

std::string conductivity(const TransportTask &task) {
  const bool chemkin = task.chemkin();
  const std::vector<TableRow> fits = conductivityFits(task.model, task.options.units);
  const size_t count = fits[0].values.size();
  const std::string polynomial = hornerOperators(count, "c", "u");
  std::string tables = fillIn(conductivityTables,
                              {{"fitted", chemkin ? "log2 of the conductivity" : "conductivity over T^(1/2)"},
                               {"coefficients", std::to_string(count)},
                               {"fits", tableText(fits)},
                               {"over", chemkin ? "" : " over T^(1/2)"},
                               {"lambda", chemkin ? "hdl_exp2(" + polynomial + ")" : polynomial}});
  std::string factor =
      chemkin
          ? ""
          : fillIn(timesRoot, {{"what", "result"}, {"half", "16.0"}, {"comment", ", and the mean's 1/2"}});
  return framed(task, tables,
                fillIn(conductivityBody, {{"half", chemkin ? "0.5 * " : ""}, {"factor", factor}}));
}

// ---- diffusion

constexpr std::string_view diffusionTables = R"(const double weights[species] = {
$weights$};

constexpr int coefficients = $coefficients$;

/// Polynomials in u: T^(3/2)/(D P) of the pairs (0,1), (0,2), ..., (1,2), ...
const double pairs[species * (species - 1) / 2][coefficients] = {
$pairs$};

/// Rows that are worked on together: a sum of `width` vectors for each coefficient has to fit into 32 or 16
/// registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int rows = 24 / (coefficients * width) > 0 ? 24 / (coefficients * width) : 1;
#else
constexpr int rows = 1;
#endif
constexpr int rowBlocks = (species + rows - 1) / rows;

/// The pairs' coefficients in the order they are used; zero for a species with itself and in rows that do not exist.
struct Matrix {
  double c[rowBlocks][species][rows][coefficients] = {};

  Matrix() {
    const double(*pair)[coefficients] = pairs;
    for (int j = 0; j < species; ++j)
      for (int k = j + 1; k < species; ++k, ++pair)
        for (int i = 0; i < coefficients; ++i)
          c[k / rows][j][k % rows][i] = c[j / rows][k][j % rows][i] = (*pair)[i];
  }
};
)";

constexpr std::string_view diffusionBody = R"(  static const Matrix matrix;
  Points u, pressure, x[species], mean = {}, factor;
  loadTemperature(u, f.temperature, p, f.points);
  load(pressure, f.pressure, p, f.points);
  for (int k = 0; k < species; ++k) {
    loadFraction(x[k], f.moleFractions + k * f.stride, p, f.points);
    HDL_UNROLL
    for (int i = 0; i < width; ++i)
      mean[i] += x[k][i] * weights[k];
  }
  HDL_UNROLL
  for (int i = 0; i < width; ++i)
    factor[i] = $scale$ * hdl_exp2(1.5 * u[i]) / (pressure[i] * mean[i]); // T^(3/2) / (P W)$unit$
  for (int n = 0; n < rowBlocks; ++n) {
    Points sums[rows][coefficients] = {};
    for (int j = 0; j < species; ++j) {
      HDL_UNROLL
      for (int r = 0; r < rows; ++r) {
        const double *c = matrix.c[n][j][r];
        HDL_UNROLL
        for (int m = 0; m < coefficients; ++m) {
          HDL_UNROLL
          for (int i = 0; i < width; ++i)
            sums[r][m][i] += c[m] * x[j][i];
        }
      }
    }
    HDL_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int k = n * rows + r;
      if (k < species) {
        Points d;
        HDL_UNROLL
        for (int i = 0; i < width; ++i) {
          const hdl_vec others = $polynomial$;
          d[i] = factor[i] * (mean[i] - x[k][i] * weights[k]) / others;
        }
        store(d, f.result + k * f.stride, p, f.points);
      }
    }
  }
)";

std::string hornerOfSums(size_t count) {
  std::string text = fmt::format("sums[r][{}][i]", count - 1);
  for (size_t i = count - 1; i-- > 0;)
    text = fmt::format("{}{}{} * u[i] + sums[r][{}][i]", i + 2 < count ? "(" : "", text,
                       i + 2 < count ? ")" : "", i);
  return text;
}

std::string diffusion(const TransportTask &task) {
  const std::vector<TableRow> pairs = diffusionPairs(task.model);
  const size_t count = pairs[0].values.size();
  std::string tables = fillIn(diffusionTables, {{"weights", tableText(weightRows(task.model))},
                                                {"coefficients", std::to_string(count)},
                                                {"pairs", tableText(pairs)}});
  const double unit = unitOf(task.kernel, task.options.units);
  return framed(task, tables,
                fillIn(diffusionBody, {{"scale", literal(32768 * unit)},
                                       {"unit", unit == 1 ? "" : ", and the unit"},
                                       {"polynomial", hornerOfSums(count)}}));
}

} // namespace

std::string cpuText(const TransportTask &task) {
  switch (task.kernel) {
  case Kernel::Viscosity: return viscosity(task);
  case Kernel::Conductivity: return conductivity(task);
  case Kernel::Diffusion: return diffusion(task);
  case Kernel::Chemistry: break;
  }
  return {};
}

} // namespace heddle::kernels
