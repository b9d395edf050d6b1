// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What less than double precision does to results: the differences from the evaluator at the self-test's
// states, found by computing in that precision while a folder is generated. Order of sums and fused
// operations differ between variants, so a kernel's own differences are of this size and not these numbers.
#pragma once

#include "flow/Program.h"
#include "kernels/SelfTest.h"
#include "kernels/Transport.h"

#include <optional>

namespace heddle::kernels {

/// Relative to the value; of rates, to the gross rate.
struct PrecisionError {
  double largest = 0, ninetyNinth = 0; ///< of all species and states; 99 of 100 lie below the second
};

PrecisionError chemistryError(const flow::Program &program, const SelfTestReference &reference,
                              Precision precision);
PrecisionError transportError(const TransportModel &model, Kernel kernel, const SelfTestReference &reference,
                              Precision precision);

/// What a self-test accepts, with some room for other orders of sums.
double toleranceOf(Kernel kernel, Precision precision);

} // namespace heddle::kernels
