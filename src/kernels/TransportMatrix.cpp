// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over pairs of species as products with constant matrices, on FP64 tensor cores.
//
// A warp takes 16 points. In a product, the points' values are the left operand and the constants the right
// one, and species may stand in any order as long as both operands have the same. The order chosen here is
// the one in which results come out: lane 4g + c gets results of points 2g and 2g+1 for species 8n+2c and
// 8n+2c+1 of tile n, so it also holds the operands of just these points and species. Then nothing has to be
// exchanged between lanes: operands are loaded, two points with one load, straight into the registers where
// they are needed, and what is done with a result needs only the lane's own registers.
//
// Constants stand in shared memory in the order of the lanes, 16 bytes each; all warps of a block use them.
//
// What decides is registers: a lane holds two points' values of a quarter of the species, three times for
// viscosity (x, x b, x b^2). So viscosity is laid out by the number of species:
//
//     up to 56     16 points a warp, three values each
//     up to 88     16 points, x and b; the products are made anew for each tile of results
//     up to 136    8 points, three values
//     up to 160    8 points, x and b
//
// Diffusion has one value each. Where its constants, a matrix for each coefficient, do not fit into shared
// memory, the result's species are split between groups of blocks.
#include "kernels/Template.h"
#include "kernels/TransportForms.h"

#include <fmt/format.h>

namespace heddle::kernels {
namespace {

constexpr size_t tileSpecies = 8;
/// A block may have 227 KiB of shared memory, less what else a kernel keeps there.
constexpr size_t mostSharedBytes = 220 * 1024;

size_t tilesOf(const TransportTask &task) { return (task.species() + tileSpecies - 1) / tileSpecies; }

/// Everything about a kernel's place on a multiprocessor.
struct Layout {
  unsigned rows = 2;         ///< points that a lane holds
  bool keepsProducts = true; ///< viscosity: x b and x b^2 stay in registers
  unsigned groups = 1;       ///< diffusion: parts that the result's species are split into
  MatrixShape shape;
};

MatrixShape mergedShape(const MatrixShape &given, MatrixShape chosen) {
  if (given.warps)
    chosen.warps = given.warps;
  if (given.blocks)
    chosen.blocks = given.blocks;
  if (given.depth)
    chosen.depth = given.depth;
  return chosen;
}

/// Measured on an H200 at 30 and 52 species: three blocks of four warps (168 registers) are best for the
/// first, eight warps with all registers for the second, where deeper instructions want too many of them.
Layout viscosityLayout(size_t tiles) {
  if (tiles <= 2)
    return {2, true, 1, {4, 4, 16}};
  if (tiles <= 4)
    return {2, true, 1, {4, 3, 16}};
  if (tiles <= 7)
    return {2, true, 1, {8, 1, 8}};
  if (tiles <= 11)
    return {2, false, 1, {8, 1, 8}};
  return {1, tiles <= 17, 1, {8, 1, 8}};
}

/// Four blocks of four warps, or twelve warps, as long as registers last.
Layout diffusionLayout(size_t tiles, size_t coefficients) {
  const size_t bytesPerTile = coefficients * tiles * 512;
  const size_t mostTiles = mostSharedBytes / bytesPerTile;
  const unsigned groups = unsigned((tiles + mostTiles - 1) / mostTiles);
  if (tiles <= 4)
    return {2, true, groups, {4, 4, 16}};
  return {2, true, groups, {tiles <= 10 ? 12u : 8u, 1, tiles <= 7 ? 16u : 8u}};
}

// ---- what both kernels have

constexpr std::string_view head = R"(//
// FP64 matrix instructions: sm_80 and later; sm_90 has larger ones, which run at twice the rate.
#include "heddle_math.h"

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "FP64 matrix instructions need sm_80 or later: use the plain form"
#endif

namespace {

constexpr int species = $species$;
constexpr int tiles = $tiles$; // of 8 species$missing$
constexpr int slots = 2 * tiles; // a lane holds two species of each tile
constexpr int rows = $rows$; // points that a lane holds
constexpr int warpPoints = 8 * rows;
constexpr int warps = $warps$, blocks = $blocks$; // of a block; of a multiprocessor
constexpr int step = $step$; // slots that one matrix instruction takes, four species each
constexpr double least = 1e-20; // a mole fraction below this counts as this much

/// Whether species 8*tile + inTile exists; known at compile time for all tiles but the last.
__device__ __forceinline__ bool exists(int tile, int inTile) {
  return 8 * tile + 8 <= species || 8 * tile + inTile < species;
}

/// To the compiler, memory and this value may have changed. Otherwise it would load constants and work out
/// addresses once and for all, and hold them in registers that are needed for something else.
__device__ __forceinline__ void keepInLoop(size_t &stride) { asm volatile("" : "+l"(stride) : : "memory"); }

/// Values of this lane's points. `Whole`: all of the warp's points exist, and pairs of them are aligned.
template <bool Whole>
__device__ __forceinline__ void loadPoints(double (&v)[rows], const double *__restrict__ from, size_t p,
    size_t last) {
$load$}

template <bool Whole>
__device__ __forceinline__ void storePoints(const double (&v)[rows], double *__restrict__ to, size_t p, size_t last) {
$store$}

)";

constexpr std::string_view loadPair = R"(  if (Whole) {
    const double2 both = *reinterpret_cast<const double2 *>(from + p);
    v[0] = both.x;
    v[1] = both.y;
  } else {
    v[0] = from[p < last ? p : last];
    v[1] = from[p + 1 < last ? p + 1 : last];
  }
)";
constexpr std::string_view storePair = R"(  if (Whole) {
    *reinterpret_cast<double2 *>(to + p) = make_double2(v[0], v[1]);
  } else {
    if (p <= last)
      to[p] = v[0];
    if (p + 1 <= last)
      to[p + 1] = v[1];
  }
)";
constexpr std::string_view loadOne = R"(  v[0] = from[Whole || p < last ? p : last];
)";
constexpr std::string_view storeOne = R"(  if (Whole || p <= last)
    to[p] = v[0];
)";

/// 8 points only: the small instruction.
constexpr std::string_view multiplySmall =
    R"(/// sums[point][column] += values[point][slot] * constants[slot][column], columns being species.
template <int Slots>
__device__ __forceinline__ void multiply(double (&sums)[2], const double (*values)[1], const double *constants) {
#pragma unroll
  for (int i = 0; i < Slots; ++i)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(sums[0]), "+d"(sums[1])
                 : "d"(values[i][0]), "d"(constants[i]));
}
)";

constexpr std::string_view multiplyLarge =
    R"(/// sums[point][column] += values[point][slot] * constants[slot][column], columns being species. Rows 0 to 7 of
/// the instruction are the even points, rows 8 to 15 the odd ones.
template <int Slots>
__device__ __forceinline__ void multiply(double (&sums)[4], const double (*values)[2], const double *constants) {
  static_assert(Slots == 2 || Slots == 4, "8 or 16 species");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if (Slots == 4)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                 : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                 : "d"(values[0][0]), "d"(values[0][1]), "d"(values[1][0]), "d"(values[1][1]),
                   "d"(values[Slots - 2][0]), "d"(values[Slots - 2][1]), "d"(values[Slots - 1][0]),
                   "d"(values[Slots - 1][1]), "d"(constants[0]), "d"(constants[1]), "d"(constants[Slots - 2]),
                   "d"(constants[Slots - 1]));
  else
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                 : "d"(values[0][0]), "d"(values[0][1]), "d"(values[1][0]), "d"(values[1][1]),
                   "d"(constants[0]), "d"(constants[1]));
#else
#pragma unroll
  for (int i = 0; i < Slots; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                   : "+d"(sums[2 * r]), "+d"(sums[2 * r + 1])
                   : "d"(values[i][r]), "d"(constants[i]));
#endif
}
)";

constexpr std::string_view loadConstants = R"(
/// Constants of `Slots` slots for this lane, from where they stand for the first of these.
template <int Slots> __device__ __forceinline__ void loadConstants(double (&c)[Slots], const double2 *from) {
#pragma unroll
  for (int i = 0; i < Slots; i += 2) {
    const double2 both = from[i / 2 * 32];
    c[i] = both.x;
    c[i + 1] = both.y;
  }
}

)";

constexpr std::string_view tail = R"(
template <bool Whole>
cudaError_t launch(size_t points, size_t stride, const double *temperature, $pressureParameter$
    const double *moleFractions, double *result, cudaStream_t stream) {
  if (points == 0)
    return cudaSuccess;
  int device = 0, multiprocessors = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel<Whole>, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
  if (error != cudaSuccess)
    return error;
  // As many blocks as fit at a time: each loads the constants once and then streams over points.
  const size_t blockPoints = warps * warpPoints, wanted = (points + blockPoints - 1) / blockPoints;
  const size_t resident = $resident$;
  const dim3 grid(unsigned(wanted < resident ? wanted : resident)$groups$);
  kernel<Whole><<<grid, warps * 32, sharedBytes, stream>>>(points, stride, temperature, $pressureArgument$moleFractions,
      result);
  return cudaGetLastError();
}
$aligned$
} // namespace

extern "C" int $name$(size_t points, size_t stride, const double *temperature, const double *pressure,
    const double *moleFractions, double *result, cudaStream_t stream) {
$unusedPressure$  if (points == 0)
    return 0;
  if (!temperature || !moleFractions || !result || stride < points$orNoPressure$)
    return 1; // HEDDLE_BAD_ARGUMENT
  // Points of full warps, and the rest by themselves.
  const size_t whole = $whole$;
  cudaError_t error = launch<true>(whole, stride, temperature, $pressureArgument$moleFractions, result, stream);
  if (error == cudaSuccess)
    error = launch<false>(points - whole, stride, temperature + whole, $restArgument$moleFractions + whole, result + whole,
        stream);
  return error == cudaSuccess ? 0 : 1000 + (int)error; // HEDDLE_CUDA_ERROR
}
)";

constexpr std::string_view alignment = R"(
/// Whether two points can be loaded at once, from every one of these.
bool pairsAligned(size_t stride, $pointerParameters$) {
  const uintptr_t all = $pointerBits$;
  return stride % 2 == 0 && all % 16 == 0;
}
)";

std::string headText(const TransportTask &task, const Layout &layout) {
  const size_t tiles = tilesOf(task), missing = tiles * tileSpecies - task.species();
  std::string text = fillIn(head, {{"species", std::to_string(task.species())},
                                   {"tiles", std::to_string(tiles)},
                                   {"missing", missing ? fmt::format("; the last lacks {}", missing) : ""},
                                   {"rows", std::to_string(layout.rows)},
                                   {"warps", std::to_string(layout.shape.warps)},
                                   {"blocks", std::to_string(layout.shape.blocks)},
                                   {"step", std::to_string(layout.rows == 2 ? layout.shape.depth / 4 : 2)},
                                   {"load", std::string(layout.rows == 2 ? loadPair : loadOne)},
                                   {"store", std::string(layout.rows == 2 ? storePair : storeOne)}});
  text += layout.rows == 2 ? multiplyLarge : multiplySmall;
  text += loadConstants;
  return text;
}

std::string tailText(const TransportTask &task, const Layout &layout) {
  const bool pressure = task.kernel == Kernel::Diffusion, pairs = layout.rows == 2;
  std::string aligned;
  if (pairs)
    aligned = fillIn(
        alignment,
        {{"pointerParameters", pressure ? "const double *a, const double *b, const double *c, const double *d"
                                        : "const double *a, const double *b, const double *c"},
         {"pointerBits", pressure ? "uintptr_t(a) | uintptr_t(b) | uintptr_t(c) | uintptr_t(d)"
                                  : "uintptr_t(a) | uintptr_t(b) | uintptr_t(c)"}});
  const std::string some = "points / warpPoints * warpPoints";
  const std::string checked =
      fmt::format("pairsAligned(stride, temperature, {}moleFractions, result) ? {} : 0",
                  pressure ? "pressure, " : "", some);
  return fillIn(
      tail, {{"pressureParameter", pressure ? "const double *pressure," : ""},
             {"pressureArgument", pressure ? "pressure, " : ""},
             {"restArgument", pressure ? "pressure + whole, " : ""},
             {"unusedPressure", pressure ? "" : "  (void)pressure;\n"},
             {"orNoPressure", pressure ? " || !pressure" : ""},
             {"resident", layout.groups == 1 ? "size_t(multiprocessors) * blocks"
                                             : "(size_t(multiprocessors) * blocks + groups - 1) / groups"},
             {"groups", layout.groups == 1 ? "" : ", groups"},
             {"aligned", aligned},
             {"whole", pairs ? checked : some},
             {"name", task.name}});
}

// ---- viscosity

constexpr std::string_view viscosityTables = R"(/// Polynomials in u = log2(T/1024): $fitted$
__device__ const double fits[species][$coefficients$] = {
$fits$};

/// W, sqrt(W), 1/sqrt(8 W)$perUnit$
__device__ const double weights[species][3] = {
$weights$};

constexpr int coefficients = $coefficients$;
constexpr int matrixElements = tiles * tiles * 32; // pairs of numbers
constexpr int sharedBytes = matrixElements * 16 + 8 * tiles * coefficients * 8;

/// m_kj = sqrt(W_j / (8 W_k (W_k + W_j))): tile by tile of k, then of j, then by lanes; and the fits.
/// Species that do not exist have no part in any sum.
__device__ void fillShared(double2 *matrix, double *fit) {
  for (int i = threadIdx.x; i < matrixElements; i += warps * 32) {
    const int lane = i % 32, k = i / 32 / tiles * 8 + lane / 4, j = i / 32 % tiles * 8 + lane % 4 * 2;
    double m[2] = {0, 0};
    for (int h = 0; h < 2; ++h)
      if (k < species && j + h < species)
        m[h] = weights[j + h][1] * weights[k][2] * rsqrt(weights[j + h][0] + weights[k][0]);
    matrix[i] = make_double2(m[0], m[1]);
  }
  for (int i = threadIdx.x; i < 8 * tiles * coefficients; i += warps * 32) {
    const int k = i / coefficients, c = i % coefficients;
    fit[i] = k < species ? fits[k][c] : c == 0;
  }
}

/// b_k = 1/a_k at u
__device__ __forceinline__ double inverseRoot(const double *c, double u) {
  return $inverse$;
}

)";

constexpr std::string_view accumulateKept =
    R"(/// d0 += m x, d1 += m (x b), d2 += m (x b^2), for slots i to i + Slots - 1
template <int Slots>
__device__ __forceinline__ void accumulate(double (&d0)[2 * rows], double (&d1)[2 * rows], double (&d2)[2 * rows],
    const double (*x)[rows], const double (*xb)[rows], const double (*xbb)[rows], const double2 *m, int i) {
  double c[Slots];
  loadConstants(c, m + i / 2 * 32);
  multiply<Slots>(d0, x + i, c);
  multiply<Slots>(d1, xb + i, c);
  multiply<Slots>(d2, xbb + i, c);
}

)";

constexpr std::string_view accumulateMade =
    R"(/// d0 += m x, d1 += m (x b), d2 += m (x b^2), for slots i to i + Slots - 1. There are not registers enough to
/// keep the products.
template <int Slots>
__device__ __forceinline__ void accumulate(double (&d0)[2 * rows], double (&d1)[2 * rows], double (&d2)[2 * rows],
    const double (*x)[rows], const double (*b)[rows], const double2 *m, int i) {
  double c[Slots], product[Slots][rows];
  loadConstants(c, m + i / 2 * 32);
  multiply<Slots>(d0, x + i, c);
#pragma unroll
  for (int s = 0; s < Slots; ++s)
#pragma unroll
    for (int r = 0; r < rows; ++r)
      product[s][r] = x[i + s][r] * b[i + s][r];
  multiply<Slots>(d1, product, c);
#pragma unroll
  for (int s = 0; s < Slots; ++s)
#pragma unroll
    for (int r = 0; r < rows; ++r)
      product[s][r] *= b[i + s][r];
  multiply<Slots>(d2, product, c);
}

)";

constexpr std::string_view viscosityKernel = R"(template <bool Whole>
__global__ void __launch_bounds__(warps * 32, blocks)
kernel(size_t points, size_t stride, const double *__restrict__ temperature,
       const double *__restrict__ moleFractions, double *__restrict__ result) {
  extern __shared__ double2 shared[];
  double2 *matrix = shared;
  double *fit = reinterpret_cast<double *>(shared + matrixElements);
  fillShared(matrix, fit);
  __syncthreads();

  const int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
  const size_t first = (size_t(blockIdx.x) * warps + threadIdx.x / 32) * warpPoints;
  for (size_t base = first; base < points; base += size_t(gridDim.x) * warps * warpPoints) {
    keepInLoop(stride);
    const size_t p = base + rows * group;
    double t[rows], u[rows];
    loadPoints<Whole>(t, temperature, p, points - 1);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      u[r] = hdl_log2(t[r] * (1.0 / 1024));

    // Slot i of this lane is species 8 (i/2) + 2 member + i%2.
    double x[slots][rows] = {}, $arrays$;
#pragma unroll
    for (int i = 0; i < slots; ++i) {
      const int inTile = 2 * member + i % 2, k = i / 2 * 8 + inTile;
      if (exists(i / 2, inTile)) {
        loadPoints<Whole>(x[i], moleFractions + k * stride, p, points - 1);
#pragma unroll
        for (int r = 0; r < rows; ++r)
          x[i][r] = fmax(x[i][r], least);
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
$prepare$      }
    }

    double sum[rows] = {};
#pragma unroll
    for (int n = 0; n < tiles; ++n) {
      const double2 *m = matrix + n * tiles * 32 + lane;
      double d0[2 * rows] = {}, d1[2 * rows] = {}, d2[2 * rows] = {};
#pragma unroll
      for (int i = 0; i + step <= slots; i += step)
        accumulate<step>(d0, d1, d2, $data$, m, i);
      if (slots % step != 0)
        accumulate<2>(d0, d1, d2, $data$, m, slots - 2);
      // Term k is x_k / (b_k (b_k d0 + 2 d1) + d2)$scaled$
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (exists(n, 2 * member + h))
#pragma unroll
          for (int r = 0; r < rows; ++r) {
$term$          }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 1);
      sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], 2);
$factor$    }
    if (member == 0)
      storePoints<Whole>(sum, result, p, points - 1);
  }
}
)";

constexpr std::string_view termKept =
    R"(            const double xk = x[2 * n + h][r], xbk = xb[2 * n + h][r];
            const int c = 2 * r + h;
            const double below = fma(xbk, fma(xbk, d0[c], (xk + xk) * d1[c]), xk * xk * d2[c]);
            sum[r] = fma(xk * xk * xk, hdl_rcp(below), sum[r]);
)";
constexpr std::string_view termMade = R"(            const double bk = b[2 * n + h][r];
            const int c = 2 * r + h;
            const double below = fma(bk, fma(bk, d0[c], d1[c] + d1[c]), d2[c]);
            sum[r] = fma(x[2 * n + h][r], hdl_rcp(below), sum[r]);
)";

std::string viscosity(const TransportTask &task, const MatrixShape &given) {
  Layout layout = viscosityLayout(tilesOf(task));
  layout.shape = mergedShape(given, layout.shape);
  const bool kept = layout.keepsProducts, chemkin = task.chemkin();
  const WilkeTables wilke = wilkeTables(task.model, task.options.units);
  std::string text = headText(task, layout);
  text += fillIn(
      viscosityTables,
      {{"fitted", chemkin ? "log2 of b_k = W_k^(1/4) / sqrt(eta_k)." : "sqrt(eta_k) W_k^(-1/4) T^(-1/4)."},
       {"coefficients", std::to_string(wilke.coefficients)},
       {"fits", tableText(wilke.fits)},
       {"perUnit", task.options.units == Units::Si ? "" : " over the unit of the result"},
       {"weights", tableText(wilke.weights)},
       {"inverse", (chemkin ? "hdl_exp2(" : "hdl_rcp(") + hornerText(wilke.coefficients, "c", "u") + ")"}});
  text += kept ? accumulateKept : accumulateMade;
  text += fillIn(viscosityKernel,
                 {{"arrays", kept ? "xb[slots][rows], xbb[slots][rows]" : "b[slots][rows]"},
                  {"prepare", kept ? "        const double b = inverseRoot(fit + k * coefficients, u[r]);\n"
                                     "        xb[i][r] = x[i][r] * b;\n        xbb[i][r] = xb[i][r] * b;\n"
                                   : "        b[i][r] = inverseRoot(fit + k * coefficients, u[r]);\n"},
                  {"data", kept ? "x, xb, xbb" : "x, b"},
                  {"scaled", kept ? ", here with x_k^2 above and below." : "."},
                  {"term", std::string(kept ? termKept : termMade)},
                  {"factor", chemkin ? "" : "      sum[r] *= sqrt(t[r]);\n"}});
  return text + tailText(task, layout);
}

// ---- diffusion

constexpr std::string_view diffusionTables = R"(__device__ const double weights[species] = {
$weights$};

constexpr int coefficients = $coefficients$;

/// Polynomials in u = log2(T/1024): T^(3/2)/(D P) of the pairs (0,1), (0,2), ..., (1,2), ...
__device__ const double pairs[species * (species - 1) / 2][coefficients] = {
$pairs$};

$groups$constexpr int groupTiles = $groupTiles$; // tiles of the result's species that a block works on
constexpr int matrixElements = groupTiles * tiles * 32; // pairs of numbers, for each coefficient
constexpr int sharedBytes = coefficients * matrixElements * 16 + 8 * tiles * 8;

/// Coefficient by coefficient; in each, tile by tile of k, then of j, then by lanes; and the weights.
/// Zero for a species with itself and for species that do not exist.
__device__ void fillShared(double2 *matrix, double *weight, int firstTile) {
  for (int i = threadIdx.x; i < matrixElements; i += warps * 32) {
    const int lane = i % 32;
    const int k = (firstTile + i / 32 / tiles) * 8 + lane / 4, j = i / 32 % tiles * 8 + lane % 4 * 2;
    const double *pair[2] = {nullptr, nullptr};
    for (int h = 0; h < 2; ++h)
      if (k < species && j + h < species && k != j + h) {
        const int low = k < j + h ? k : j + h, high = k < j + h ? j + h : k;
        pair[h] = pairs[low * (2 * species - low - 1) / 2 + high - low - 1];
      }
    for (int c = 0; c < coefficients; ++c)
      matrix[c * matrixElements + i] = make_double2(pair[0] ? pair[0][c] : 0.0, pair[1] ? pair[1][c] : 0.0);
  }
  for (int i = threadIdx.x; i < 8 * tiles; i += warps * 32)
    weight[i] = i < species ? weights[i] : 0.0;
}

template <int Slots>
__device__ __forceinline__ void accumulate(double (&sums)[coefficients][2 * rows], const double (*x)[rows],
    const double2 *m, int i) {
#pragma unroll
  for (int c = 0; c < coefficients; ++c) {
    double constants[Slots];
    loadConstants(constants, m + c * matrixElements + i / 2 * 32);
    multiply<Slots>(sums[c], x + i, constants);
  }
}

template <bool Whole>
__global__ void __launch_bounds__(warps * 32, blocks)
kernel(size_t points, size_t stride, const double *__restrict__ temperature, const double *__restrict__ pressure,
       const double *__restrict__ moleFractions, double *__restrict__ result) {
  extern __shared__ double2 shared[];
  double2 *matrix = shared;
  double *weight = reinterpret_cast<double *>(shared + coefficients * matrixElements);
  const int firstTile = $firstTile$;
  fillShared(matrix, weight, firstTile);
  __syncthreads();

  const int lane = threadIdx.x % 32, group = lane / 4, member = lane % 4;
  const size_t first = (size_t(blockIdx.x) * warps + threadIdx.x / 32) * warpPoints;
  for (size_t base = first; base < points; base += size_t(gridDim.x) * warps * warpPoints) {
    keepInLoop(stride);
    const size_t p = base + rows * group;
    // Slot i of this lane is species 8 (i/2) + 2 member + i%2.
    double x[slots][rows] = {}, mean[rows] = {};
#pragma unroll
    for (int i = 0; i < slots; ++i) {
      const int inTile = 2 * member + i % 2, k = i / 2 * 8 + inTile;
      if (exists(i / 2, inTile)) {
        loadPoints<Whole>(x[i], moleFractions + k * stride, p, points - 1);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          x[i][r] = fmax(x[i][r], least);
          mean[r] = fma(x[i][r], weight[k], mean[r]);
        }
      }
    }
    double t[rows], pa[rows], u[rows], factor[rows];
    loadPoints<Whole>(t, temperature, p, points - 1);
    loadPoints<Whole>(pa, pressure, p, points - 1);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      mean[r] += __shfl_xor_sync(0xffffffffu, mean[r], 1);
      mean[r] += __shfl_xor_sync(0xffffffffu, mean[r], 2);
      u[r] = hdl_log2(t[r] * (1.0 / 1024));
      factor[r] = $unit$t[r] * sqrt(t[r]) * hdl_rcp(pa[r] * mean[r]);
    }

$unroll$
    for (int n = 0; n < groupTiles; ++n) {
      keepInLoop(stride);
      const double2 *m = matrix + n * tiles * 32 + lane;
      double sums[coefficients][2 * rows] = {};
#pragma unroll
      for (int i = 0; i + step <= slots; i += step)
        accumulate<step>(sums, x, m, i);
      if (slots % step != 0)
        accumulate<2>(sums, x, m, slots - 2);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int k = (firstTile + n) * 8 + 2 * member + h;
        if ($ofResult$) {
          double d[rows];
$own$#pragma unroll
          for (int r = 0; r < rows; ++r) {
            const int at = 2 * r + h;
            const double others = $polynomial$;
            d[r] = factor[r] * (mean[r] - own[r] * weight[k]) * hdl_rcp(others);
          }
          storePoints<Whole>(d, result + k * stride, p, points - 1);
        }
      }
    }
  }
}
)";

/// Where a block does not work on all species, which slot holds its own is not known at compile time.
constexpr std::string_view ownReloaded = R"(          double own[rows];
          loadPoints<Whole>(own, moleFractions + k * stride, p, points - 1);
#pragma unroll
          for (int r = 0; r < rows; ++r)
            own[r] = fmax(own[r], least);
)";

std::string hornerOfSums(size_t count) {
  std::string text = fmt::format("sums[{}][at]", count - 1);
  for (size_t i = count - 1; i-- > 0;)
    text = fmt::format("fma({}, u[r], sums[{}][at])", text, i);
  return text;
}

std::string diffusion(const TransportTask &task, const MatrixShape &given) {
  const std::vector<TableRow> pairs = diffusionPairs(task.model);
  const size_t count = pairs[0].values.size(), tiles = tilesOf(task);
  Layout layout = diffusionLayout(tiles, count);
  layout.shape = mergedShape(given, layout.shape);
  const bool split = layout.groups > 1;
  const double unit = unitOf(task.kernel, task.options.units);
  std::string text = headText(task, layout);
  text += fillIn(
      diffusionTables,
      {{"weights", tableText(weightRows(task.model))},
       {"coefficients", std::to_string(count)},
       {"pairs", tableText(pairs)},
       {"groups",
        split ? fmt::format(
                    "constexpr int groups = {}; // of blocks, since the constants do not fit into one\n",
                    layout.groups)
              : ""},
       {"groupTiles", std::to_string((tiles + layout.groups - 1) / layout.groups)},
       {"firstTile", split ? "blockIdx.y * groupTiles" : "0"},
       {"unit", unit == 1 ? "" : literal(unit) + " * "},
       {"unroll", split ? "#pragma unroll 1" : "#pragma unroll"},
       {"ofResult", split ? "k < species" : "exists(n, 2 * member + h)"},
       {"own", split ? std::string(ownReloaded) : "          const double (&own)[rows] = x[2 * n + h];\n"},
       {"polynomial", hornerOfSums(count)}});
  return text + tailText(task, layout);
}

} // namespace

std::string matrixText(const TransportTask &task, const MatrixShape &shape) {
  return task.kernel == Kernel::Viscosity ? viscosity(task, shape) : diffusion(task, shape);
}

} // namespace heddle::kernels
