// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace heddle::arch {

/// What a generation may have that others lack; Features.def says what each is.
enum class Feature {
#define ARCH_FEATURE(Name, text, about) Name,
#include "arch/Features.def"
#undef ARCH_FEATURE
};

std::string_view nameOf(Feature feature);  ///< as in the tables: "cp-async"
std::string_view aboutOf(Feature feature); ///< one line for people
std::optional<Feature> featureNamed(std::string_view name);
const std::vector<Feature> &allFeatures();

} // namespace heddle::arch
