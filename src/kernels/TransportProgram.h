// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport kernels as operations at one point, so that they can be distributed between warps.
//
//     viscosity      an operation computes the roots of some species; another their terms of the mixture
//     conductivity   an operation for some species, and one at the end
//     diffusion      of the symmetric matrix of pairs each column j has the rows j + 1 to j + n/2 (modulo n):
//     all
//                    pairs once, columns of equal length. An operation does neighbouring columns, and what
//                    it finds goes into the sums of columns and of rows
//
// How many species an operation takes decides how often a value has to be fetched: one for each warp is best.
#pragma once

#include "flow/Program.h"
#include "kernels/Transport.h"

namespace heddle::kernels {

/// Fields: temperature, pressure, mole fractions (a component for each species). Result: one number, or one
/// for each species (diffusion).
flow::Program transportProgram(const TransportModel &model, Kernel kernel, Units units,
                               unsigned speciesAtOnce);

/// Of a kernel's arithmetic, what goes into its sum over pairs of species, and what as many products with
/// constant matrices take instead.
struct PairWork {
  unsigned arithmetic = 0, products = 0;
};
PairWork pairWork(const TransportModel &model, Kernel kernel);

/// The rows of column j in a symmetric matrix of n columns without its diagonal: every pair is in one column.
std::vector<unsigned> halfColumn(unsigned j, unsigned n);

} // namespace heddle::kernels
