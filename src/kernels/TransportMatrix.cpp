// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over pairs of species as products with constant matrices, on FP64 tensor cores; how lanes, points and species are
// related is in templates/heddle_transport_matrix.h. Constants are in shared memory in the order of
// the lanes, 16 bytes each; all warps of a block use them.
//
// What decides is registers: a lane holds two points' values of a quarter of the species, three times for
// viscosity (x, x b, x b^2). So viscosity is laid out by the number of species:
//
//     up to 56     16 points per warp, three values each
//     up to 88     16 points, x and b; the products are recomputed for each tile of results
//     up to 136    8 points, three values
//     up to 160    8 points, x and b
//
// Diffusion has one value each. Where its constants, a matrix for each coefficient, do not fit into shared
// memory, the result's species are split between groups of blocks.
#include "arch/Common.h"
#include "kernels/TransportVariants.h"

namespace heddle::kernels {
namespace {

constexpr size_t tileSpecies = 8;
/// A number for each pair of two tiles' species.
constexpr size_t tileBytes = tileSpecies * tileSpecies * sizeof(double);

/// What a block may have, less what else a kernel keeps there.
size_t mostSharedBytes() {
  return arch::defaultArch().maxSharedBytesPerBlockOptIn - model::threshold::transport::otherSharedBytes;
}

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
  const size_t bytesPerTile = coefficients * tiles * tileBytes;
  const size_t mostTiles = mostSharedBytes() / bytesPerTile;
  const unsigned groups = unsigned((tiles + mostTiles - 1) / mostTiles);
  if (tiles <= 4)
    return {2, true, groups, {4, 4, 16}};
  return {2, true, groups, {tiles <= 10 ? 12u : 8u, 1, tiles <= 7 ? 16u : 8u}};
}

/// What heddle_transport_matrix.h wants.
std::vector<TransportNumber> numbersOf(const Layout &layout) {
  return {{"rows", layout.rows, "points that a lane holds"},
          {"warps", layout.shape.warps, "of a block"},
          {"blocks", layout.shape.blocks, "of a multiprocessor"},
          {"step", layout.rows == 2 ? layout.shape.depth / 4 : 2,
           "slots that one matrix instruction takes, four species each"}};
}

TransportKernel viscosityMatrix(const TransportTask &task, const MatrixShape &given) {
  Layout layout = viscosityLayout(tilesOf(task));
  layout.shape = mergedShape(given, layout.shape);
  const WilkeTables wilke = wilkeTables(task.model, task.options.units);
  TransportKernel kernel = {
      "heddle_viscosity_matrix.h",
      {"heddle_transport_device.h", "heddle_transport_matrix.h"},
      numbersOf(layout),
      {viscosityFits(task, wilke, "__device__"), wilkeWeights(task, wilke, "__device__")}};
  kernel.numbers.insert(kernel.numbers.end(),
                        {{"coefficients", wilke.coefficients},
                         fitsAreLogarithms(task),
                         {"keepsProducts", layout.keepsProducts, "are there registers for them?"}});
  const size_t tiles = tilesOf(task);
  kernel.sharedBytes = tiles * tiles * tileBytes + tiles * tileSpecies * wilke.coefficients * sizeof(double);
  return kernel;
}

TransportKernel diffusionMatrix(const TransportTask &task, const MatrixShape &given) {
  const size_t coefficients = coefficientCount(task.model.reciprocal.pairs);
  Layout layout = diffusionLayout(tilesOf(task), coefficients);
  layout.shape = mergedShape(given, layout.shape);
  TransportKernel kernel = {"heddle_diffusion_matrix.h",
                            {"heddle_transport_device.h", "heddle_transport_matrix.h"},
                            numbersOf(layout),
                            {weightTable(task, "__device__"), pairTable(task, "__device__")}};
  kernel.numbers.insert(kernel.numbers.end(),
                        {{"coefficients", coefficients},
                         unitNumber(task),
                         {"groups", layout.groups, "of blocks, each with its part of the results"}});
  const size_t tiles = tilesOf(task), tilesOfGroup = (tiles + layout.groups - 1) / layout.groups;
  kernel.sharedBytes = coefficients * tilesOfGroup * tiles * tileBytes + tiles * tileSpecies * sizeof(double);
  return kernel;
}

} // namespace

TransportKernel matrixKernel(const TransportTask &task, const MatrixShape &shape) {
  return task.kernel == Kernel::Viscosity ? viscosityMatrix(task, shape) : diffusionMatrix(task, shape);
}

} // namespace heddle::kernels
