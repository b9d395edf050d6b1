// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Feature.h"

namespace heddle::arch {
namespace {

struct FeatureRow {
  Feature feature;
  std::string_view name, about;
};

constexpr FeatureRow featureRows[] = {
#define ARCH_FEATURE(Name, text, about) {Feature::Name, text, about},
#include "arch/Features.def"
#undef ARCH_FEATURE
};

} // namespace

std::string_view nameOf(Feature feature) { return featureRows[size_t(feature)].name; }
std::string_view aboutOf(Feature feature) { return featureRows[size_t(feature)].about; }

std::optional<Feature> featureNamed(std::string_view name) {
  for (const FeatureRow &row : featureRows)
    if (row.name == name)
      return row.feature;
  return std::nullopt;
}

const std::vector<Feature> &allFeatures() {
  static const std::vector<Feature> all = [] {
    std::vector<Feature> list;
    for (const FeatureRow &row : featureRows)
      list.push_back(row.feature);
    return list;
  }();
  return all;
}

} // namespace heddle::arch
