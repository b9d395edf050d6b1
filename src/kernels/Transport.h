// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source text of the transport kernels of a mechanism: mixture viscosity, mixture conductivity and
// mixture-averaged diffusion.
//
//     viscosity      Wilke's rule                      plain, matrix, cpu
//     conductivity   mean of two means                 plain, cpu: it only has to be read, no matrix in it
//     diffusion      from reciprocal pair coefficients plain, matrix, cpu
//
// and all of them as warps (Warps.h). All variants of a kernel compute the same thing within rounding. Each is
// one file of numbers, PREFIX_KERNEL_FORM.cu or .cpp, and headers that make a kernel of them; besides these it
// needs `heddle_math.h` (MathHeader.h) and, on the host, `heddle_host.h`.
#pragma once

#include "chem/Fits.h"
#include "kernels/Emitted.h"

#include <optional>

namespace heddle::kernels {

/// What a mechanism's transport is made of; fits of viscosity and conductivity may have either form.
struct TransportModel {
  const chem::Mechanism &mechanism;
  const chem::TransportFits &fits;
  const chem::ReciprocalDiffusionFits &reciprocal;
};

/// How a matrix kernel is spread over a multiprocessor; chosen by the number of species where it is not
/// given.
struct MatrixShape {
  unsigned warps = 0;  ///< in a block
  unsigned blocks = 0; ///< on a multiprocessor at a time
  unsigned depth = 0;  ///< species that one matrix instruction takes: 8 or 16
};

/// Plain, matrix or cpu (Warps.h has the fourth variant). Nothing, with a refusal in `diagnostics`, where this
/// kernel does not exist in this variant or precision.
std::optional<Emitted> emitTransport(const TransportModel &model, Kernel kernel, Variant variant,
                                     const Options &options, Diagnostics &diagnostics,
                                     const MatrixShape &shape = {});

} // namespace heddle::kernels
