// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduced collision integrals of two molecules: how much their attraction and their dipoles make them scatter
// beyond what hard spheres would.
#pragma once

namespace heddle::chem {

/// T* = kT/epsilon, and delta* = mu^2/(2 epsilon sigma^3) in Gaussian units: the reduced dipole moment
/// squared.
struct ReducedState {
  double temperature = 0;
  double dipole = 0;
};

/// Omega(2,2)*, of viscosity
double omega22(const ReducedState &at);
/// Omega(1,1)* = Omega(2,2)*/A*, of diffusion
double omega11(const ReducedState &at);

} // namespace heddle::chem
