// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Mechanism.h"

#include <optional>
#include <string>

namespace heddle::chem {

/// The first thing, in words, in which two mechanisms differ; nothing where they are the same. Numbers may
/// differ by `tolerance`, relative. The order of elements, species and reactions counts; that of the terms of
/// a reaction and of the atoms of a species does not, nor does how an equation is written, nor whether an
/// explicit reverse rate is given as a reaction of its own. Marks of duplicates say something of the file
/// only, and are not looked at.
std::optional<std::string> firstDifference(Mechanism a, Mechanism b, double tolerance = 1e-12);

} // namespace heddle::chem
