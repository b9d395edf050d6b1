// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Evaluator.h"

namespace heddle::chem {

/// A result that is infinite or not a number, and what its cause may be.
struct NotFinite {
  std::string what, hint;
};

/// The first one of an evaluation, in an order that names causes before what follows from them.
std::optional<NotFinite> findNotFinite(const Mechanism &mechanism, const Evaluation &evaluation);

} // namespace heddle::chem
