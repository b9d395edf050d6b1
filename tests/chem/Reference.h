// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cantera's results for real mechanisms, which lie in a folder `shared` beside the source tree or further up.
// Tests that need them are skipped where there is none.
#pragma once

#include "chem/MechanismFiles.h"
#include "chem/States.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::chem {

using Json = nlohmann::json;

/// Empty where it is not there; $HEDDLE_SHARED names another.
std::filesystem::path sharedFolder();

/// Mechanisms with results for 24 states each.
std::vector<std::string> referenceNames();
/// Small mechanisms with a reaction form each: "forms/sri-falloff".
std::vector<std::string> formNames();
/// Mechanisms without results.
std::vector<std::string> otherNames();

struct Reference {
  Mechanism mechanism;
  Json results, fits;

  const Json &states() const { return results["states"]; }
  GivenState state(const Json &state) const;
};

/// A mechanism of the shared folder with its results, where there are some.
Reference loadReference(const std::string &name, MechanismForm form = MechanismForm::Chemkin);

std::string testNameOf(const testing::TestParamInfo<std::string> &info);

} // namespace heddle::chem

#define HEDDLE_LOAD_REFERENCE(variable, ...)                                                                 \
  if (sharedFolder().empty())                                                                                \
    GTEST_SKIP() << "no folder 'shared' with mechanisms and results; HEDDLE_SHARED may name one";            \
  Reference variable = loadReference(__VA_ARGS__)
