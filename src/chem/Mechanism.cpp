// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Mechanism.h"

#include <algorithm>

namespace heddle::chem {

std::optional<unsigned> Mechanism::find(const std::string &speciesName) const {
  for (unsigned i = 0; i < species.size(); ++i)
    if (species[i].name == speciesName)
      return i;
  return std::nullopt;
}

bool Mechanism::hasTransport() const {
  return std::ranges::all_of(species, [](const Species &each) { return each.transport.has_value(); });
}

} // namespace heddle::chem
