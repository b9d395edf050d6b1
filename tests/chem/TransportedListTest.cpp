// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/TransportedList.h"

#include "Shared.h"
#include "SmallChemkin.h"
#include "chem/MechanismFiles.h"

#include <sstream>

namespace heddle::chem {
namespace {

std::vector<std::string> namesOf(const std::vector<unsigned> &list, const Mechanism &mechanism) {
  std::vector<std::string> names;
  for (unsigned each : list)
    names.push_back(mechanism.species[each].name);
  return names;
}

TEST(TransportedList, TheOthersAreQuasiSteady) {
  Mechanism m = test::readSmall("");
  Diagnostics diagnostics;
  auto list = readQuasiSteadyFromTransported({"l.yaml", "species: ['A', B,\n  D, X, Q]\n"}, m, diagnostics);
  ASSERT_TRUE(list);
  EXPECT_EQ(namesOf(*list, m), (std::vector<std::string>{"C", "Y", "AR"}));
  EXPECT_NE(test::printed(diagnostics).find("l.yaml:2:9: warning: the mechanism has no species 'Q'"),
            std::string::npos)
      << test::printed(diagnostics);
}

TEST(TransportedList, AnEmptyListIsAnError) {
  Diagnostics diagnostics;
  EXPECT_FALSE(readQuasiSteadyFromTransported({"l.yaml", "names: [A]\n"}, test::readSmall(""), diagnostics));
  EXPECT_FALSE(readQuasiSteadyFromTransported({"l.yaml", "{"}, test::readSmall(""), diagnostics));
  EXPECT_TRUE(diagnostics.has(Severity::Error));
}

/// The shared folder has the lists both ways round.
TEST(TransportedList, IsTheComplementOfTheQuasiSteadyList) {
  SKIP_WITHOUT_SHARED();
  for (const char *name : {"LuEthylene", "dodecane_lu", "heptane_lu_88sk", "C1-C2-NO"}) {
    std::filesystem::path folder = test::sharedMechanisms() / name;
    Diagnostics diagnostics;
    std::optional<Mechanism> m = readMechanism({.paths = {folder}}, diagnostics);
    ASSERT_TRUE(m) << name;
    auto list = readQuasiSteadyFromTransported(*readSource(folder / "non_qssa_list.yaml", diagnostics), *m,
                                               diagnostics);
    std::vector<std::string> expected;
    std::istringstream lines(readSource(folder / "qss_species.txt", diagnostics)->text);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && !line.starts_with('#'))
        expected.push_back(line);
    EXPECT_EQ(namesOf(list.value_or(std::vector<unsigned>{}), *m), expected) << name;
  }
}

} // namespace
} // namespace heddle::chem
