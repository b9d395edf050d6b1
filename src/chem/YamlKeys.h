// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which keys the maps of a YAML mechanism may have. A key that is not known is ignored, and that is a warning:
// `default-efficency` would otherwise change rates without a word. Keys that Cantera's format defines and that
// nothing here needs are known, and so are those that hold remarks.
#pragma once

#include "chem/YamlNodes.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::chem {

/// What a map describes.
enum class YamlMap {
  Phase,
  Element,
  Species,
  Nasa7,
  ConstantCp,
  Transport,
  Elementary,
  ThreeBody,
  Falloff,
  Plog,
  Chebyshev,
  RateConstant,
  RateConstantAtPressure,
  Troe,
  Sri
};

/// Collects keys that are not known, so that one that every reaction has is one message.
class YamlKeys {
public:
  explicit YamlKeys(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  /// Keys of maps of numbers need values: `Ea: 16,599` in braces is `Ea: 16` and a key 599 without one.
  void check(const YamlNode &map, YamlMap kind);
  /// Warns of what was collected.
  void report();

private:
  struct Unknown {
    SourceLocation location; ///< of the first
    size_t count = 0;
  };

  Diagnostics &diagnostics;
  std::map<std::pair<YamlMap, std::string>, Unknown> unknown;
};

} // namespace heddle::chem
