// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CHEMKIN and the YAML files of a mechanism hold the same.
#include "Shared.h"
#include "chem/Chemkin.h"
#include "chem/CompareMechanisms.h"
#include "chem/Yaml.h"

#include <algorithm>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

struct Files {
  ChemkinFiles chemkin;
  fs::path yaml;
};

/// Every folder with a mechanism, and every small case that has been converted.
std::vector<std::string> names() {
  std::vector<std::string> result;
  if (test::sharedMechanisms().empty())
    return {"none"};
  for (const auto &entry : fs::directory_iterator(test::sharedMechanisms()))
    if (fs::exists(entry.path() / "mechanism.yaml"))
      result.push_back(entry.path().filename().string());
  for (const auto &entry : fs::directory_iterator(test::sharedMechanisms() / "forms"))
    if (entry.path().extension() == ".yaml")
      result.push_back("forms/" + entry.path().stem().string());
  std::ranges::sort(result);
  return result;
}

Files filesOf(const std::string &name) {
  fs::path base = test::sharedMechanisms() / name;
  if (fs::is_directory(base)) {
    fs::path thermo = fs::exists(base / "therm.dat") ? base / "therm.dat" : fs::path();
    return {{base / "chem.inp", thermo, base / "tran.dat"}, base / "mechanism.yaml"};
  }
  fs::path thermo = base.parent_path() / (name == "forms/soot" ? "soot-therm.dat" : "dummy-thermo.dat");
  return {{base.string() + ".inp", thermo, {}}, base.string() + ".yaml"};
}

class YamlShared : public testing::TestWithParam<std::string> {};

TEST_P(YamlShared, IsTheSameMechanismAsTheChemkinFiles) {
  SKIP_WITHOUT_SHARED();
  Files files = filesOf(GetParam());
  Diagnostics diagnostics;
  std::optional<Mechanism> chemkin = readChemkin(files.chemkin, diagnostics);
  std::optional<Mechanism> yaml = readYaml(files.yaml, diagnostics);
  ASSERT_TRUE(chemkin && yaml) << test::printed(diagnostics);
  EXPECT_EQ(firstDifference(*chemkin, *yaml), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, YamlShared, testing::ValuesIn(names()), [](const auto &info) {
  std::string name = info.param;
  for (char &letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return name;
});

} // namespace
} // namespace heddle::chem
