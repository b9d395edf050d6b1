// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Mechanism.h"

namespace heddle::chem {

/// Joins a one-way reaction and its reverse right after it into one with an explicit reverse rate.
///     A + B => C,  C => A + B    becomes    A + B <=> C with a REV
/// Cantera's files have no explicit reverse rates, and its converter writes them as such pairs. Pairs with
/// orders of their own or other than Arrhenius rates are left alone.
void pairReverseReactions(Mechanism &mechanism);

} // namespace heddle::chem
