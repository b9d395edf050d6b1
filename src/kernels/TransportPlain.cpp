// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread per point, as one would write it by hand. All threads of a warp need the same constants at the
// same time, and where these are decides how fast it is. By the number of species:
//
//     up to mostUnrolled     all loops of diffusion are unrolled: constants are operands of instructions
//     up to mostInRegisters  that code would not fit the instruction cache. The loop over rows is kept, and
//                            constants are in shared memory, where blocks that go over many points put them
//                            once. What a thread needs of each species still stays in registers
//     more                   that would spill: rows are taken a few at a time, and each species' values are
//                            computed again for every such block of rows
#include "kernels/Template.h"
#include "kernels/TransportVariants.h"

#include <fmt/format.h>

namespace heddle::kernels {
namespace {

using model::threshold::transport::diffusionRows;
using model::threshold::transport::mostInRegisters;
using model::threshold::transport::mostUnrolled;
using model::threshold::transport::viscosityRows;
/// What is larger is read from global memory, all lanes at one address.
using model::threshold::partition::constantBytes;

/// Where shared memory is filled from, two numbers at a time.
constexpr const char *alignedSpace = "__device__ __align__(16)";

std::string spaceFor(size_t doubles) { return doubles * 8 <= constantBytes ? "__constant__" : "__device__"; }

size_t roundedUp(size_t n, size_t step) { return (n + step - 1) / step * step; }

TransportNumber rowsAtATime(size_t rows) { return {"rows", rows, "worked on at a time"}; }

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

TransportKernel viscosity(const TransportTask &task) {
  // Unrolled, compilers compute all roots at once and spill them.
  const bool isShared = task.species() <= mostInRegisters;
  // Two numbers are read from shared memory at a time.
  const size_t width = roundedUp(task.species(), isShared ? 2 : viscosityRows);
  WilkeTables wilke = wilkeTables(task.model, task.options.units);
  if (!isShared)
    wilke.fits.resize(width, {std::vector<double>(wilke.coefficients, 1.0), "fills the last block"});
  TransportKernel kernel = {isShared ? "heddle_viscosity_plain.h" : "heddle_viscosity_rows.h",
                            {"heddle_transport_device.h", "heddle_viscosity_roots.h"},
                            {{"coefficients", wilke.coefficients}, fitsAreLogarithms(task)},
                            {viscosityFits(task, wilke, "__constant__")}};
  kernel.numbers.push_back(isShared ? TransportNumber("matrixWidth", width) : rowsAtATime(viscosityRows));
  kernel.sharedBytes = isShared ? task.species() * width * task.real().bytes() : 0;
  kernel.tables.push_back({fmt::format("sqrt(W_j / (8 W_k (W_k + W_j))){}, a row for each {}.",
                                       task.options.units == Units::Si ? "" : " over the unit of the result",
                                       isShared ? "k" : "j"),
                           isShared ? alignedSpace : spaceFor(task.species() * width), "matrix",
                           fmt::format("[species][{}]", width),
                           tableText(wilkeRows(task, !isShared, width), task.real())});
  return kernel;
}

TransportKernel conductivity(const TransportTask &task) {
  return {"heddle_conductivity_plain.h",
          {"heddle_transport_device.h"},
          {{"coefficients", coefficientCount(task.model.fits.conductivity)}, fitsAreLogarithms(task)},
          {conductivityTable(task, "__constant__")}};
}

/// All pairs both ways: whose line it is may then be a loop's variable.
TransportTable squareOfPairs(const TransportTask &task, std::string space, size_t width, size_t count) {
  const auto &species = task.model.mechanism.species;
  std::string text;
  for (size_t k = 0; k < species.size(); ++k) {
    text += "    { // " + inComment(species[k].name) + "\n";
    std::vector<TableRow> rows;
    for (size_t j = 0; j < width; ++j) {
      rows.push_back({diffusionPair(task.model, k, j < species.size() ? j : k), ""});
      rows.back().values.resize(count, 0.0);
    }
    text += tableText(rows, task.real()) + "    },\n";
  }
  return {"Polynomials in u: T^(3/2)/(D P) of every pair, zero for a species with itself.", std::move(space),
          "pairs", fmt::format("[species][{}][{}]", width, count), text};
}

TransportKernel diffusion(const TransportTask &task) {
  const size_t coefficients = coefficientCount(task.model.reciprocal.pairs);
  TransportKernel kernel = {"heddle_diffusion_plain.h",
                            {"heddle_transport_device.h"},
                            {{"coefficients", coefficients}, unitNumber(task)},
                            {weightTable(task, "__constant__")}};
  if (task.species() <= mostUnrolled) {
    kernel.tables.push_back(pairTable(task, "__constant__"));
  } else if (task.species() <= mostInRegisters) {
    const size_t padded = roundedUp(coefficients, 2); // two numbers are read from shared memory at a time
    kernel.header = "heddle_diffusion_shared.h";
    kernel.numbers.emplace_back("paddedCoefficients", padded);
    kernel.sharedBytes = task.species() * task.species() * padded * task.real().bytes();
    kernel.tables.push_back(squareOfPairs(task, alignedSpace, task.species(), padded));
  } else {
    kernel.header = "heddle_diffusion_rows.h";
    kernel.numbers.push_back(rowsAtATime(diffusionRows));
    kernel.tables.push_back(
        squareOfPairs(task, "__device__", roundedUp(task.species(), diffusionRows), coefficients));
  }
  return kernel;
}

} // namespace

TransportKernel plainKernel(const TransportTask &task) {
  switch (task.kernel) {
  case Kernel::Viscosity: return viscosity(task);
  case Kernel::Conductivity: return conductivity(task);
  case Kernel::Diffusion: return diffusion(task);
  case Kernel::Chemistry: break;
  }
  return {};
}

} // namespace heddle::kernels
