// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::chem {

/// Why a species cannot be called so; empty where it can.
std::string faultOfSpeciesName(std::string_view name);

/// Names in the order they were declared. A name is found as it is written, else without regard to case where
/// only one name fits: CHEMKIN knows no lower case, so files mix the two freely.
class NameTable {
public:
  /// The place in the list; that of the earlier one, and false, where the name is there already.
  std::pair<unsigned, bool> add(std::string_view name, SourceLocation location);
  std::optional<unsigned> find(std::string_view name) const;

  size_t size() const { return names.size(); }
  size_t longest() const { return longestName; }
  const std::string &name(unsigned index) const { return names[index]; }
  const SourceLocation &location(unsigned index) const { return locations[index]; }

  /// "did you mean 'O' or 'O2'?", or nothing where no name is near.
  std::string didYouMean(std::string_view wanted) const;
  /// The same, or that the name has to be declared.
  std::string hintFor(std::string_view wanted) const;

private:
  std::vector<std::string> names;
  std::vector<SourceLocation> locations;
  std::unordered_map<std::string, unsigned> exact;
  std::unordered_map<std::string, std::optional<unsigned>> ignoringCase; ///< nothing where two names fit
  size_t longestName = 0;
};

} // namespace heddle::chem
