// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One test for each malformed file: all messages about it, with line, column and hint, is in
// data/malformed.txt.
#include "Shared.h"
#include "chem/CheckMechanism.h"
#include "chem/Chemkin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

struct Malformed {
  std::string file, with = "dummy-thermo.dat", elements, species;
  std::string messages; ///< a line each
};

void PrintTo(const Malformed &malformed, std::ostream *out) { *out << malformed.file; }

std::vector<Malformed> readTable() {
  std::vector<Malformed> table;
  std::ifstream in(fs::path(HEDDLE_SOURCE_DIR) / "tests/chem/data/malformed.txt");
  auto takes = [](const std::string &line, std::string_view word, std::string &value) {
    if (!line.starts_with(word))
      return false;
    value = line.substr(word.size());
    return true;
  };
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#'))
      continue;
    if (line.starts_with("== "))
      table.push_back({.file = line.substr(3)});
    else if (Malformed &last = table.back(); !takes(line, "with ", last.with) &&
                                             !takes(line, "elements ", last.elements) &&
                                             !takes(line, "species ", last.species))
      last.messages += line + "\n";
  }
  return table;
}

const char *wordOf(Severity severity) {
  return severity == Severity::Error     ? "error"
         : severity == Severity::Refusal ? "refused"
         : severity == Severity::Warning ? "warning"
                                         : "?";
}

/// As in the table: the file is named only where it is another one.
std::string messagesOf(const Diagnostics &diagnostics, const std::string &file) {
  std::string text;
  for (const Diagnostic &each : diagnostics.all()) {
    std::string name = fs::path(each.location.file).filename().string();
    text += fmt::format("{}{}:{}: {}: {}\n", name == file ? "" : name + ":", each.location.line,
                        each.location.column, wordOf(each.severity), each.text);
    if (!each.hint.empty())
      text += fmt::format("hint: {}\n", each.hint);
  }
  return text;
}

ChemkinText textsFor(const Malformed &malformed, Diagnostics &diagnostics) {
  fs::path folder = test::sharedMechanisms() / "malformed";
  std::optional<SourceText> text = readSource(folder / malformed.file, diagnostics);
  if (!text)
    return {};
  if (malformed.file.ends_with("-tran.dat"))
    return {*readSource(folder / "h2o2.inp", diagnostics), std::nullopt, text};
  if (malformed.file.ends_with(".dat"))
    return {{"made.inp",
             fmt::format("ELEMENTS\n{}\nEND\nSPECIES\n{}\nEND\n", malformed.elements, malformed.species)},
            text,
            std::nullopt};
  return {*text, readSource(folder / malformed.with, diagnostics), std::nullopt};
}

class MalformedFile : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedFile, IsReportedWithLocationMessageAndHint) {
  SKIP_WITHOUT_SHARED();
  const Malformed &malformed = GetParam();
  Diagnostics diagnostics;
  ChemkinText text = textsFor(malformed, diagnostics);
  std::optional<Mechanism> mechanism = readChemkin(text, diagnostics);
  if (mechanism && text.transport)
    checkTransport(*mechanism, diagnostics);
  EXPECT_EQ(messagesOf(diagnostics, malformed.file), malformed.messages);
  // Geometries written as 1.00 are harmless; a missing species is reported only where transport is asked for.
  bool mayBeRead =
      malformed.file == "h2o2-float-geometry-tran.dat" || malformed.file == "h2o2-missing-species-tran.dat";
  EXPECT_EQ(mechanism.has_value(), mayBeRead);
}

INSTANTIATE_TEST_SUITE_P(Files, MalformedFile, testing::ValuesIn(readTable()), [](const auto &info) {
  std::string name = info.param.file;
  for (char &letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return name;
});

TEST(MalformedTable, HasEveryFileOfTheFolder) {
  SKIP_WITHOUT_SHARED();
  std::vector<Malformed> table = readTable();
  for (const auto &entry : fs::directory_iterator(test::sharedMechanisms() / "malformed")) {
    std::string name = entry.path().filename().string();
    bool isSound = name == "h2o2.inp" || name == "dummy-thermo.dat" || name == "INDEX.md";
    EXPECT_TRUE(isSound || std::ranges::find(table, name, &Malformed::file) != table.end()) << name;
  }
}

TEST(MalformedMessage, ShowsTheLineAndTheCaret) {
  Diagnostics diagnostics;
  ChemkinText text{{"a.inp", "ELEMENTS H END\nSPECIES H2 END\nREACTIONS\nH2 = H + H  1 0 0\nEND\n"}, {}, {}};
  text.thermo = SourceText{"therm.dat", ""};
  EXPECT_FALSE(readChemkin(text, diagnostics));
  EXPECT_NE(test::printed(diagnostics)
                .find("a.inp:4:6: error: reaction uses species 'H', which is not declared\n"
                      "    4 | H2 = H + H  1 0 0\n"
                      "      |      ^\n"
                      "hint: did you mean 'H2'?\n"),
            std::string::npos)
      << test::printed(diagnostics);
}

} // namespace
} // namespace heddle::chem
