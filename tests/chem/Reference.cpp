// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"

#include "Shared.h"

#include <fstream>
#include <iostream>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

Json readJson(const fs::path &file) {
  std::ifstream in(file);
  return in ? Json::parse(in) : Json();
}

/// The small mechanisms take their thermodynamic data from a file they share, where they have none.
std::vector<fs::path> pathsOf(const std::string &name, MechanismForm form) {
  fs::path path = sharedFolder() / "mechanisms" / name;
  if (!name.starts_with("forms/"))
    return {path};
  if (form == MechanismForm::Yaml)
    return {path.string() + ".yaml"};
  return {path.string() + ".inp", path.parent_path() / "dummy-thermo.dat"};
}

} // namespace

fs::path sharedFolder() { return test::sharedMechanisms().parent_path(); }

std::vector<std::string> referenceNames() {
  return {"h2o2",  "LiDryer", "BurkeDryer",  "JL4",          "drm19",
          "gri30", "LuDME",   "dodecane_lu", "heptane_lu68", "heptane_lu_88sk"};
}

std::vector<std::string> formNames() {
  return {"forms/chemically-activated-reaction",
          "forms/explicit-forward-order",
          "forms/explicit-reverse-rate",
          "forms/explicit-third-bodies",
          "forms/float-stoich",
          "forms/negative-order",
          "forms/negative-rate",
          "forms/nonreactant-order",
          "forms/pdep-test",
          "forms/species-names",
          "forms/sri-falloff",
          "forms/third_body_plus_falloff_reaction",
          "forms/units-custom",
          "forms/units-default"};
}

std::vector<std::string> otherNames() { return {"HP_DME", "LuEthylene", "C1-C2-NO"}; }

GivenState Reference::state(const Json &state) const {
  GivenState given;
  given.temperature = state["T"];
  given.pressure = state["P"];
  given.moleFractions = state["X"].get<std::vector<double>>();
  given.diffusionTerm.resize(given.moleFractions.size());
  return given;
}

Reference loadReference(const std::string &name, MechanismForm form) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readMechanism({pathsOf(name, form), form}, diagnostics);
  if (!mechanism) {
    print(std::cerr, diagnostics, false);
    ADD_FAILURE() << name << " is not read";
    return {};
  }
  Reference reference = {std::move(*mechanism), readJson(sharedFolder() / "reference" / (name + ".json")),
                         readJson(sharedFolder() / "reference" / "fits" / (name + ".json"))};
  // All arrays of the results are in the order of their species.
  if (reference.results.contains("species"))
    for (size_t k = 0; k < reference.mechanism.species.size(); ++k)
      EXPECT_EQ(reference.results["species"][k], reference.mechanism.species[k].name);
  return reference;
}

std::string testNameOf(const testing::TestParamInfo<std::string> &info) {
  std::string name = info.param;
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

} // namespace heddle::chem
