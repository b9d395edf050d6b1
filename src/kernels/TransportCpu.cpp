// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's variant: vectors of points, the same sums with constant matrices as the matrix variant. Two vectors of
// points and a few rows of a matrix are processed together, so that most vector registers are sums and every
// value that is loaded is used several times. Values of one block of points stay in the first cache.
#include "kernels/TransportVariants.h"

namespace heddle::kernels {

TransportKernel cpuKernel(const TransportTask &task) {
  TransportKernel kernel = {{}, {"heddle_transport_host.h"}, {}, {}};
  switch (task.kernel) {
  case Kernel::Viscosity: {
    const WilkeTables wilke = wilkeTables(task.model, task.options.units);
    kernel.header = "heddle_viscosity_host.h";
    kernel.numbers = {{"coefficients", wilke.coefficients}, fitsAreLogarithms(task)};
    kernel.tables = {viscosityFits(task, wilke, ""), wilkeWeights(task, wilke, "")};
    break;
  }
  case Kernel::Conductivity:
    kernel.header = "heddle_conductivity_host.h";
    kernel.numbers = {{"coefficients", coefficientCount(task.model.fits.conductivity)},
                      fitsAreLogarithms(task)};
    kernel.tables = {conductivityTable(task, "")};
    break;
  case Kernel::Diffusion:
    kernel.header = "heddle_diffusion_host.h";
    kernel.numbers = {{"coefficients", coefficientCount(task.model.reciprocal.pairs)}, unitNumber(task)};
    kernel.tables = {weightTable(task, ""), pairTable(task, "")};
    break;
  case Kernel::Chemistry: break;
  }
  return kernel;
}

} // namespace heddle::kernels
