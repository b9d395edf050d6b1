// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real mechanisms, read from their CHEMKIN files.
#include "Shared.h"
#include "chem/CheckMechanism.h"
#include "chem/Chemkin.h"

#include <algorithm>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

/// What the README of the mechanisms states for each.
struct Expected {
  std::string name;
  size_t species, reactions, thirdBody, falloff, plog, troe3, troe4, irreversible, duplicates,
      explicitReverse;
};

void PrintTo(const Expected &expected, std::ostream *out) { *out << expected.name; }

class ChemkinShared : public testing::TestWithParam<Expected> {};

size_t count(const Mechanism &mechanism, auto &&predicate) {
  return size_t(std::count_if(mechanism.reactions.begin(), mechanism.reactions.end(), predicate));
}

size_t countTroe(const Mechanism &mechanism, bool withT2) {
  return count(mechanism, [&](const Reaction &reaction) {
    const Falloff *falloff = std::get_if<Falloff>(&reaction.rate);
    const Troe *troe = falloff ? std::get_if<Troe>(&falloff->shape) : nullptr;
    return troe && troe->t2.has_value() == withT2;
  });
}

TEST_P(ChemkinShared, HasWhatItsReadmeSays) {
  SKIP_WITHOUT_SHARED();
  const Expected &expected = GetParam();
  fs::path folder = test::sharedMechanisms() / expected.name;
  fs::path thermo = fs::exists(folder / "therm.dat") ? folder / "therm.dat" : fs::path();
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism =
      readChemkin(ChemkinFiles{folder / "chem.inp", thermo, folder / "tran.dat"}, diagnostics);
  ASSERT_TRUE(mechanism) << test::printed(diagnostics);
  checkTransport(*mechanism, diagnostics);
  EXPECT_FALSE(diagnostics.has(Severity::Error)) << test::printed(diagnostics);

  EXPECT_EQ(mechanism->species.size(), expected.species);
  EXPECT_EQ(mechanism->reactions.size(), expected.reactions);
  auto isFalloff = [](const Reaction &each) { return each.isFalloff(); };
  EXPECT_EQ(count(*mechanism, isFalloff), expected.falloff);
  EXPECT_EQ(count(*mechanism, [&](const Reaction &each) { return each.collider && !isFalloff(each); }),
            expected.thirdBody);
  EXPECT_EQ(count(*mechanism, [](const Reaction &each) { return std::holds_alternative<Plog>(each.rate); }),
            expected.plog);
  EXPECT_EQ(countTroe(*mechanism, false), expected.troe3);
  EXPECT_EQ(countTroe(*mechanism, true), expected.troe4);
  EXPECT_EQ(count(*mechanism, [](const Reaction &each) { return each.duplicate; }), expected.duplicates);
  EXPECT_EQ(count(*mechanism, [](const Reaction &each) { return each.reverse == Reverse::Explicit; }),
            expected.explicitReverse);
  EXPECT_EQ(count(*mechanism, [](const Reaction &each) { return each.reverse == Reverse::None; }),
            expected.irreversible);
}

// A reverse rate with A = 0 makes a reaction irreversible, so these count there and not as explicit.
INSTANTIATE_TEST_SUITE_P(
    Mechanisms, ChemkinShared,
    testing::Values(Expected{"h2o2", 9, 28, 5, 1, 0, 0, 1, 0, 6, 0},
                    Expected{"LiDryer", 9, 21, 4, 2, 0, 2, 0, 0, 4, 0},
                    Expected{"BurkeDryer", 13, 27, 4, 2, 0, 2, 0, 0, 6, 0},
                    Expected{"drm19", 21, 84, 6, 8, 0, 0, 8, 0, 0, 0},
                    Expected{"gri30", 53, 325, 12, 29, 0, 0, 26, 16, 6, 0},
                    Expected{"LuDME", 39, 175, 12, 11, 0, 2, 8, 0, 8, 0},
                    Expected{"LuEthylene", 32, 206, 8, 21, 0, 0, 20, 0, 4, 0},
                    Expected{"dodecane_lu", 53, 268, 5, 26, 0, 2, 23, 19, 8, 0},
                    Expected{"heptane_lu68", 68, 283, 9, 12, 0, 0, 8, 12 + 16, 4, 259 - 16},
                    Expected{"heptane_lu_88sk", 88, 387, 11, 11, 0, 0, 7, 34, 4, 376 - 34},
                    Expected{"C1-C2-NO", 44, 269, 7, 27, 0, 2, 23, 0, 11, 0},
                    Expected{"HP_DME", 130, 893, 17, 40, 78, 4, 32, 35, 50, 0},
                    Expected{"JL4", 7, 4, 0, 0, 0, 0, 0, 2, 0, 0}),
    [](const auto &info) {
      std::string name = info.param.name;
      std::erase(name, '-');
      return name;
    });

} // namespace
} // namespace heddle::chem
