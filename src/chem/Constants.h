// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of nature, SI with kmol.
#pragma once

namespace heddle::chem {

inline constexpr double avogadro = 6.02214076e26;              ///< 1/kmol, exact
inline constexpr double boltzmann = 1.380649e-23;              ///< J/K, exact
inline constexpr double gasConstant = avogadro * boltzmann;    ///< J/kmol/K
inline constexpr double oneAtmosphere = 101325;                ///< Pa, exact
inline constexpr double calorie = 4.184;                       ///< J, the thermochemical one
inline constexpr double elementaryCharge = 1.602176634e-19;    ///< C, exact
inline constexpr double debye = 3.33564095198152e-30;          ///< C m: 1e-21 / c
inline constexpr double vacuumPermittivity = 8.8541878128e-12; ///< F/m

} // namespace heddle::chem
