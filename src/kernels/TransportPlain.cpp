// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread a point, as one would write it by hand. All threads of a warp need the same constants at the
// same time, and where these are decides how fast it is. By the number of species:
//
//     up to mostUnrolled     all loops of diffusion are unrolled: constants are operands of instructions
//     up to mostInRegisters  that code would not fit the instruction cache. The loop over rows is kept, and
//                            constants are in shared memory, where blocks that go over many points put them
//                            once. What a thread needs of each species still stays in registers
//     more                   that would spill: rows are taken a few at a time, and each species' values are
//                            worked out again for every such block of rows
#include "kernels/Template.h"
#include "kernels/TransportForms.h"

#include <fmt/format.h>

namespace heddle::kernels {
namespace {

/// Eight instructions a pair of 16 bytes each are 100 KB of the 128 KB that an instruction cache holds.
constexpr size_t mostUnrolled = 40;
/// Two doubles for each species are 224 registers of 255.
constexpr size_t mostInRegisters = 56;
/// Rows at a time with more species.
constexpr size_t viscosityRows = 16, diffusionRows = 8;
/// Constant memory has 64 KiB; what is larger is read from global memory, all lanes at one address.
constexpr size_t constantBytes = 60000;

std::string spaceFor(size_t doubles) { return doubles * 8 <= constantBytes ? "__constant__" : "__device__"; }

size_t roundedUp(size_t n, size_t step) { return (n + step - 1) / step * step; }

constexpr std::string_view frame = R"(
#include "heddle_math.h"

#include <cuda_runtime.h>
#include <stddef.h>

namespace {

constexpr int species = $species$;
constexpr int threads = $threads$;
constexpr double least = 1e-20; // a mole fraction below this counts as this much

$tables$
$functions$
__global__ void __launch_bounds__(threads)
kernel(size_t points, size_t stride, const double *__restrict__ temperature, $pressureParameter$
       const double *__restrict__ moleFractions, double *__restrict__ result) {
$points$  const double t = temperature[p];
  const double u = hdl_log2(t * (1.0 / 1024)); // fits are polynomials in this
$body$$close$}

} // namespace

extern "C" int $name$(size_t points, size_t stride, const double *temperature, const double *pressure,
    const double *moleFractions, double *result, cudaStream_t stream) {
$unusedPressure$  if (points == 0)
    return 0;
  if (!temperature || !moleFractions || !result || stride < points$orNoPressure$)
    return 1; // HEDDLE_BAD_ARGUMENT
$grid$  kernel<<<blocks, threads, $bytes$, stream>>>(points, stride, temperature, $pressureArgument$moleFractions, result);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? 0 : 1000 + (int)error; // HEDDLE_CUDA_ERROR
}
)";

constexpr std::string_view onePoint = R"(  const size_t p = blockIdx.x * size_t(threads) + threadIdx.x;
  if (p >= points)
    return;
)";

constexpr std::string_view gridOfPoints =
    R"(  const unsigned blocks = unsigned((points + threads - 1) / threads);
)";

constexpr std::string_view manyPoints =
    R"(  extern __shared__ double2 constants[]; // of $table$: all lanes of a warp read the same one
  for (int i = threadIdx.x; i < int(sizeof $table$ / sizeof(double2)); i += threads)
    constants[i] = reinterpret_cast<const double2 *>($table$)[i];
  __syncthreads();
  const auto $copy$ = reinterpret_cast<const double(*)$shape$>(constants);
  for (size_t p = blockIdx.x * size_t(threads) + threadIdx.x; p < points; p += size_t(gridDim.x) * threads) {
)";

constexpr std::string_view gridOfDevice = R"(  int device = 0, multiprocessors = 0, resident = 0;
  const int bytes = sizeof $table$;
  cudaError_t failure = cudaGetDevice(&device);
  if (failure == cudaSuccess)
    failure = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (failure == cudaSuccess)
    failure = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (failure == cudaSuccess)
    failure = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, bytes);
  if (failure != cudaSuccess)
    return 1000 + (int)failure; // HEDDLE_CUDA_ERROR
  const size_t needed = (points + threads - 1) / threads, atOnce = size_t(multiprocessors) * resident;
  const unsigned blocks = unsigned(needed < atOnce ? needed : atOnce);
)";

/// A table in global memory that blocks copy to shared memory.
struct SharedTable {
  std::string name, copy; ///< and what the copy is called
  std::string shape;      ///< of a row, as in a declaration: "[4]"
};

std::string framed(const TransportTask &task, const std::string &tables, const std::string &functions,
                   const std::string &body, const std::optional<SharedTable> &shared = {}) {
  const bool pressure = task.kernel == Kernel::Diffusion;
  std::string points{onePoint}, grid{gridOfPoints};
  if (shared) {
    points = fillIn(manyPoints, {{"table", shared->name}, {"copy", shared->copy}, {"shape", shared->shape}});
    grid = fillIn(gridOfDevice, {{"table", shared->name}});
  }
  return fillIn(frame, {{"species", std::to_string(task.species())},
                        {"threads", shared ? "256" : "128"},
                        {"tables", tables},
                        {"functions", functions},
                        {"pressureParameter", pressure ? "const double *__restrict__ pressure," : ""},
                        {"pressureArgument", pressure ? "pressure, " : ""},
                        {"unusedPressure", pressure ? "" : "  (void)pressure;\n"},
                        {"orNoPressure", pressure ? " || !pressure" : ""},
                        {"name", task.name},
                        {"points", points},
                        {"grid", grid},
                        {"bytes", shared ? "bytes" : "0"},
                        {"close", shared ? "  }\n" : ""},
                        {"body", body}});
}

// ---- viscosity

constexpr std::string_view rootFunctions = R"(
/// 1/a_k and a_k; $roots$
__device__ __forceinline__ double inverseRoot(int k, double u) {
  const double *c = fits[k];
  return $inverse$;
}

__device__ __forceinline__ double root(int k, double u) {
  const double *c = fits[k];
  return $root$;
}
)";

std::string rootsOf(const TransportTask &task, size_t count) {
  const std::string polynomial = hornerText(count, "c", "u");
  const bool chemkin = task.chemkin();
  return fillIn(rootFunctions, {{"roots", chemkin ? "a_k = sqrt(eta_k) W_k^(-1/4)."
                                                  : "a_k = sqrt(eta_k) W_k^(-1/4) T^(-1/4)."},
                                {"inverse", (chemkin ? "hdl_exp2(" : "hdl_rcp(") + polynomial + ")"},
                                {"root", chemkin ? fmt::format("hdl_exp2(-{})", polynomial) : polynomial}});
}

constexpr std::string_view viscosityInRegisters = R"(
  double z[species], w[species]; // sqrt(x_j) and sqrt(x_j)/a_j, so that x_j (1 + a_k/a_j)^2 = (z_j + a_k w_j)^2
#pragma unroll
  for (int j = 0; j < species; ++j) {
    z[j] = sqrt(fmax(moleFractions[j * stride + p], least));
    w[j] = z[j] * inverseRoot(j, u);
  }
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < species; ++k) {
    const double a = root(k, u);
    double others[2] = {0, 0}; // two sums, so that one need not wait for the other
#pragma unroll
    for (int j = 0; j < species; ++j) {
      const double v = fma(a, w[j], z[j]);
      others[j % 2] = fma(sharedMatrix[k][j] * v, v, others[j % 2]);
    }
    const double x = fmax(moleFractions[k * stride + p], least);
    sum = fma(x * a * a, hdl_rcp(others[0] + others[1]), sum);
  }
  result[p] = sum$factor$;
)";

constexpr std::string_view viscosityByRows = R"(
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < species; k += rows) {
    double a[rows], others[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      a[r] = root(k + r, u);
      others[r] = 0;
    }
#pragma unroll 1
    for (int j = 0; j < species; ++j) {
      // sqrt(x_j) and sqrt(x_j)/a_j, so that x_j (1 + a_k/a_j)^2 = (z + a_k w)^2
      const double z = sqrt(fmax(moleFractions[j * stride + p], least)), w = z * inverseRoot(j, u);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const double v = fma(a[r], w, z);
        others[r] = fma(matrix[j][k + r] * v, v, others[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (k + r < species)
        sum = fma(fmax(moleFractions[(k + r) * stride + p], least) * a[r] * a[r], hdl_rcp(others[r]), sum);
  }
  result[p] = sum$factor$;
)";

/// m_kj, as [k][j] or, in blocks of rows, as [j][k].
std::vector<TableRow> wilkeRows(const TransportTask &task, bool byColumn, size_t width) {
  std::vector<TableRow> rows;
  for (size_t a = 0; a < task.species(); ++a) {
    TableRow row = {{}, task.model.mechanism.species[a].name};
    for (size_t b = 0; b < task.species(); ++b)
      row.values.push_back(wilkeElement(task.model, task.options.units, byColumn ? b : a, byColumn ? a : b));
    row.values.resize(width, 0.0);
    rows.push_back(row);
  }
  return rows;
}

std::string viscosity(const TransportTask &task) {
  // Unrolled, compilers work out all roots at once and spill them.
  const bool isShared = task.species() <= mostInRegisters;
  // Two numbers are read from shared memory at a time.
  const size_t width = roundedUp(task.species(), isShared ? 2 : viscosityRows);
  WilkeTables wilke = wilkeTables(task.model, task.options.units);
  if (!isShared)
    wilke.fits.resize(width, {std::vector<double>(wilke.coefficients, 1.0), "fills the last block"});
  const std::string tables = fmt::format(
      "{}/// Polynomials in u: {}\n__constant__ const double fits[{}][{}] = {{\n{}}};\n\n/// sqrt(W_j / (8 "
      "W_k (W_k + W_j))){}"
      ", {}\n{} const double matrix[species][{}] = {{\n{}}};\n",
      isShared ? "" : fmt::format("constexpr int rows = {}; // worked on at a time\n\n", viscosityRows),
      task.chemkin() ? "log2 of 1/a_k." : "a_k.", wilke.fits.size(), wilke.coefficients,
      tableText(wilke.fits), task.options.units == Units::Si ? "" : " over the unit of the result",
      isShared ? "a row for each k." : "a row for each j.",
      isShared ? "__device__ __align__(16)" : spaceFor(task.species() * width), width,
      tableText(wilkeRows(task, !isShared, width)));
  const std::string body = fillIn(isShared ? viscosityInRegisters : viscosityByRows,
                                  {{"factor", task.chemkin() ? "" : " * sqrt(t)"}});
  std::optional<SharedTable> shared;
  if (isShared)
    shared = {"matrix", "sharedMatrix", fmt::format("[{}]", width)};
  return framed(task, tables, rootsOf(task, wilke.coefficients), body, shared);
}

// ---- conductivity

constexpr std::string_view conductivityBody = R"(
  double sum = 0, reciprocals = 0;
#pragma unroll 4
  for (int k = 0; k < species; ++k) {
    const double *c = fits[k];
    const double x = fmax(moleFractions[k * stride + p], least);
    const double lambda = $lambda$;
    sum = fma(x, lambda, sum);
    reciprocals = fma(x, hdl_rcp(lambda), reciprocals);
  }
  result[p] = 0.5 * (sum + hdl_rcp(reciprocals))$factor$;
)";

std::string conductivity(const TransportTask &task) {
  const std::vector<TableRow> fits = conductivityFits(task.model, task.options.units);
  const size_t count = fits[0].values.size();
  const std::string polynomial = hornerText(count, "c", "u");
  std::string tables = fmt::format(
      "/// Polynomials in u: {}\n__constant__ const double fits[species][{}] = {{\n{}}};\n",
      task.chemkin() ? "log2 of the conductivity." : "conductivity over T^(1/2).", count, tableText(fits));
  return framed(
      task, tables, "",
      fillIn(conductivityBody, {{"lambda", task.chemkin() ? "hdl_exp2(" + polynomial + ")" : polynomial},
                                {"factor", task.chemkin() ? "" : " * sqrt(t)"}}));
}

// ---- diffusion

constexpr std::string_view diffusionFractions = R"(
  double x[species], mean = 0;
#pragma unroll
  for (int j = 0; j < species; ++j) {
    x[j] = fmax(moleFractions[j * stride + p], least);
    mean = fma(x[j], weights[j], mean);
  }
  const double factor = $unit$t * sqrt(t) * hdl_rcp(pressure[p] * mean);
)";

constexpr std::string_view diffusionUnrolled = R"(  double others[species] = {};
#pragma unroll
  for (int k = 0; k < species; ++k)
#pragma unroll
    for (int j = k + 1; j < species; ++j) { // a pair counts for both of its species
      const double *c = pairs[k * species - k * (k + 1) / 2 + j - k - 1];
      const double inverse = $polynomial$;
      others[k] = fma(x[j], inverse, others[k]);
      others[j] = fma(x[k], inverse, others[j]);
    }
#pragma unroll
  for (int k = 0; k < species; ++k)
    result[k * stride + p] = factor * (mean - x[k] * weights[k]) * hdl_rcp(others[k]);
)";

constexpr std::string_view diffusionShared = R"(#pragma unroll 1
  for (int k = 0; k < species; ++k) {
    double others[2] = {0, 0}; // two sums, so that one need not wait for the other
#pragma unroll
    for (int j = 0; j < species; ++j) {
      const double *c = sharedPairs[k][j];
      others[j % 2] = fma(x[j], $polynomial$, others[j % 2]);
    }
    const double own = fmax(moleFractions[k * stride + p], least) * weights[k];
    result[k * stride + p] = factor * (mean - own) * hdl_rcp(others[0] + others[1]);
  }
)";

constexpr std::string_view diffusionByRows = R"(
  double mean = 0;
#pragma unroll 4
  for (int j = 0; j < species; ++j)
    mean = fma(fmax(moleFractions[j * stride + p], least), weights[j], mean);
  const double factor = $unit$t * sqrt(t) * hdl_rcp(pressure[p] * mean);
#pragma unroll 1
  for (int k = 0; k < species; k += rows) {
    double others[rows] = {};
#pragma unroll 2
    for (int j = 0; j < species; ++j) {
      const double x = fmax(moleFractions[j * stride + p], least);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const double *c = pairs[j][k + r];
        others[r] = fma(x, $polynomial$, others[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (k + r < species) {
        const size_t at = (k + r) * stride + p;
        result[at] = factor * (mean - fmax(moleFractions[at], least) * weights[k + r]) * hdl_rcp(others[r]);
      }
  }
)";

/// All pairs both ways: whose line it is may then be a loop's variable.
std::string pairTable(const TransportTask &task, size_t width, size_t count) {
  const auto &species = task.model.mechanism.species;
  std::string text;
  for (size_t k = 0; k < species.size(); ++k) {
    text += "    { // " + inComment(species[k].name) + "\n";
    std::vector<TableRow> rows;
    for (size_t j = 0; j < width; ++j) {
      rows.push_back({diffusionPair(task.model, k, j < species.size() ? j : k), ""});
      rows.back().values.resize(count, 0.0);
    }
    text += tableText(rows) + "    },\n";
  }
  return text;
}

std::string diffusion(const TransportTask &task) {
  const size_t degree = diffusionPair(task.model, 0, 1).size();
  const std::string weights = fmt::format("__constant__ const double weights[species] = {{\n{}}};\n\n",
                                          tableText(weightRows(task.model)));
  const double unit = unitOf(task.kernel, task.options.units);
  const std::string unitText = unit == 1 ? "" : literal(unit) + " * ";
  const std::string polynomial = hornerText(degree, "c", "u");
  const std::string fractions = fillIn(diffusionFractions, {{"unit", unitText}});

  if (task.species() <= mostUnrolled) {
    const std::vector<TableRow> pairs = diffusionPairs(task.model);
    return framed(task,
                  weights + fmt::format("/// Polynomials in u: T^(3/2)/(D P) of every pair.\n"
                                        "__constant__ const double pairs[{}][{}] = {{\n{}}};\n",
                                        pairs.size(), degree, tableText(pairs)),
                  "", fractions + fillIn(diffusionUnrolled, {{"polynomial", polynomial}}));
  }
  const bool isShared = task.species() <= mostInRegisters;
  // Two numbers are read from shared memory at a time.
  const size_t width = isShared ? task.species() : roundedUp(task.species(), diffusionRows);
  const size_t count = isShared ? roundedUp(degree, 2) : degree;
  const std::string pairs =
      fmt::format("/// Polynomials in u: T^(3/2)/(D P) of every pair, zero for a species with itself.\n"
                  "__device__ {}const double pairs[species][{}][{}] = {{\n{}}};\n",
                  isShared ? "__align__(16) " : "", width, count, pairTable(task, width, count));
  if (isShared)
    return framed(task, weights + pairs, "",
                  fractions + fillIn(diffusionShared, {{"polynomial", polynomial}}),
                  SharedTable{"pairs", "sharedPairs", fmt::format("[species][{}]", count)});
  return framed(task,
                fmt::format("constexpr int rows = {}; // worked on at a time\n\n", diffusionRows) + weights +
                    pairs,
                "", fillIn(diffusionByRows, {{"unit", unitText}, {"polynomial", polynomial}}));
}

} // namespace

std::string plainText(const TransportTask &task) {
  switch (task.kernel) {
  case Kernel::Viscosity: return viscosity(task);
  case Kernel::Conductivity: return conductivity(task);
  case Kernel::Diffusion: return diffusion(task);
  case Kernel::Chemistry: break;
  }
  return {};
}

} // namespace heddle::kernels
