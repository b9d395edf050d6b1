// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cantera's files have no explicit reverse rates: its converter writes a reaction with REV as two irreversible ones. Whether the
// authors wrote two cannot be seen from the file. The reader therefore leaves them as they are, so that reactions have the numbers
// that they have in the file and in Cantera. What does not depend on their numbers may join them: kernels, which need fewer
// operations then, and the comparison of two mechanisms.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Qssa.h"

namespace heddle::chem {

/// Joins an irreversible reaction and its reverse right after it into one with an explicit reverse rate.
///     A + B => C,  C => A + B    becomes    A + B <=> C with a REV
/// Pairs with orders of their own or other than Arrhenius rates are left alone. The result has, for each reaction that there was, the
/// index of the one that it is now (a part of).
std::vector<size_t> pairReverseReactions(Mechanism &mechanism);

/// The plan of the mechanism after pairReverseReactions, by that function's result: directions that are left out are left out still.
QssaPlan pairedPlan(QssaPlan plan, const std::vector<size_t> &indices);

} // namespace heddle::chem
