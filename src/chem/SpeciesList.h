// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Mechanism.h"
#include "chem/Names.h"
#include "chem/SourceText.h"

#include <vector>

namespace heddle::chem {

/// Species named in a file, separated by blanks or line ends; `#` and `!` begin a comment. By their places in the mechanism and in
/// the file's order. Errors for names that the mechanism does not have, for names given twice, and for a list
/// of none.
std::vector<unsigned> readSpeciesList(const SourceText &source, const Mechanism &mechanism,
                                      Diagnostics &diagnostics);

/// The names of a mechanism's species.
NameTable speciesNames(const Mechanism &mechanism);

} // namespace heddle::chem
