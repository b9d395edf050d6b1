// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CHEMKIN text made up in tests.
#pragma once

#include "Shared.h"
#include "chem/Chemkin.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace heddle::chem::test {

/// A thermo card; `composition` fills columns 25 to 44: "C   1H   4".
inline std::string card(std::string_view name, std::string_view composition) {
  return fmt::format("{:<24}{:<20}G   300.000  5000.000 1000.00      1\n"
                     " 7.48514950E-02 1.33909467E-02-5.73285809E-06 1.22292535E-09-1.01815230E-13    2\n"
                     "-9.46834459E+03 1.84373180E+01 5.14987613E+00-1.36709788E-02 4.91800599E-05    3\n"
                     "-4.84743026E-08 1.66693956E-11-1.02466476E+04-4.64130376E+00                   4\n",
                     name, composition);
}

/// A, B, D are isomers, C is two of them, X and Y have half each.
inline std::string smallThermo() {
  return "THERMO ALL\n   300.000  1000.000  5000.000\n" + card("A", "C   1H   4") + card("B", "C   1H   4") +
         card("D", "C   1H   4") + card("C", "C   2H   8") + card("X", "H   2") + card("Y", "C   1H   2") +
         card("AR", "AR  1") + "END\n";
}

/// Species A B C D X Y AR and what is given, from the word REACTIONS on.
inline ChemkinText smallText(std::string_view reactions) {
  return {{"small.inp", fmt::format("ELEMENTS\nH C AR\nEND\nSPECIES\nA B C D X Y AR\nEND\n{}", reactions)},
          SourceText{"small.dat", smallThermo()},
          std::nullopt};
}

inline Mechanism readSmall(std::string_view reactions) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readChemkin(smallText(reactions), diagnostics);
  EXPECT_TRUE(mechanism) << printed(diagnostics);
  return mechanism.value_or(Mechanism{});
}

/// All messages about the text.
inline std::string complaints(const ChemkinText &text) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readChemkin(text, diagnostics);
  bool isFault = diagnostics.has(Severity::Error) || diagnostics.has(Severity::Refusal);
  EXPECT_EQ(mechanism.has_value(), !isFault) << printed(diagnostics);
  return printed(diagnostics);
}
inline std::string complaints(std::string_view reactions) { return complaints(smallText(reactions)); }

} // namespace heddle::chem::test
