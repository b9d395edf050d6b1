// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutated CHEMKIN and YAML files. Whatever comes in: no crash, no exception, no hang; either there is a
// mechanism that holds together, or there is an error with a place in the file. HEDDLE_FUZZ_COUNT says how
// many inputs, HEDDLE_FUZZ_SEED where to begin: input n of a run depends on seed + n only, so a failure is
// run again with that seed and a count of 1.
#include "SmallChemkin.h"
#include "chem/Yaml.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

namespace heddle::chem {
namespace {

namespace fs = std::filesystem;

unsigned long environmentNumber(const char *name, unsigned long otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoul(value, nullptr, 10) : otherwise;
}

std::string textOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Words that mean something to a reader, and some that are near to it.
const char *const chemkinWords[] = {"\n",
                                    "\r",
                                    "\t",
                                    " ",
                                    "!",
                                    "/",
                                    "=",
                                    "=>",
                                    "<=>",
                                    "+",
                                    "(+M)",
                                    "(+AR)",
                                    "+M",
                                    "&",
                                    "END",
                                    "ENDOFDATA",
                                    "ELEMENTS",
                                    "SPECIES",
                                    "THERMO ALL",
                                    "TRANS",
                                    "REACTIONS",
                                    "KELVINS",
                                    "MOLECULES",
                                    "NASA9",
                                    "DUP",
                                    "LOW/1 2 3/",
                                    "HIGH/1 2 3/",
                                    "TROE/1 2 3/",
                                    "SRI/1 2 3 4 5/",
                                    "PLOG/1 2 3 4/",
                                    "CHEB/2 2 1 2 3 4/",
                                    "CHEB/1e9 1e9/",
                                    "TCHEB/1 2/",
                                    "PCHEB/1 2/",
                                    "LT/1 2/",
                                    "REV/1 2 3/",
                                    "RLT/1 2/",
                                    "FORD/A 1/",
                                    "RORD/A 0/",
                                    "UNITS/CAL/MOLE/",
                                    "UNITS/",
                                    "FIT1/1/",
                                    "HV",
                                    "M",
                                    "1E400",
                                    "-1E-400",
                                    "1.0+5",
                                    "0",
                                    "-1",
                                    "9999999999",
                                    ".",
                                    "-",
                                    "E+",
                                    "\xff\xfe",
                                    "\xc3",
                                    "A",
                                    "X/2/",
                                    "A/"};
const char *const yamlWords[] = {"\n",
                                 "\r\n",
                                 "  ",
                                 " ",
                                 "- ",
                                 "{",
                                 "}",
                                 "[",
                                 "]",
                                 ":",
                                 ": ",
                                 ",",
                                 "#",
                                 "\"",
                                 "'",
                                 "|",
                                 ">",
                                 "&a ",
                                 "*a",
                                 "!!str ",
                                 "%",
                                 "---\n",
                                 "...\n",
                                 "null",
                                 "~",
                                 "true",
                                 "NO",
                                 "all",
                                 "none",
                                 "units: {length: m}",
                                 "units",
                                 "type: falloff",
                                 "type: Chebyshev",
                                 "type: pressure-dependent-Arrhenius",
                                 "(+M)",
                                 "+ M",
                                 "<=>",
                                 "=>",
                                 "1 atm",
                                 "cm^3/mol/s",
                                 "cm^1e9",
                                 "1e400",
                                 "-1",
                                 "0",
                                 "\xff",
                                 "\xc3\xa9",
                                 "\t",
                                 "Troe: {A: 1}",
                                 "SRI: []",
                                 "efficiencies: 1",
                                 "species:",
                                 "reactions:",
                                 "phases:",
                                 "elements:",
                                 "orders: {A: 1}",
                                 "<<: *a",
                                 "? ",
                                 "@"};

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  size_t below(size_t n) { return n == 0 ? 0 : random() % n; }

  /// Half of the inputs only have words exchanged for others, so that the text still has the form of a file
  /// and the fault is in what it says.
  template <typename Words> void mutate(std::string &text, const Words &words) {
    bool onlyWords = below(2) == 0;
    for (size_t n = 1 + below(3); n > 0; --n)
      if (onlyWords)
        exchangeWord(text);
      else
        mutateOnce(text, std::begin(words)[below(std::size(words))]);
  }

private:
  void mutateOnce(std::string &text, std::string_view word) {
    size_t at = below(text.size() + 1), length = below(std::min<size_t>(text.size() - at + 1, 40));
    switch (below(8)) {
    case 0: text.insert(at, word); return;
    case 1: text.replace(at, length, word); return;
    case 2: text.erase(at, length); return;
    case 3: text.insert(below(text.size() + 1), text.substr(at, length)); return;
    case 4: text.resize(at); return;
    case 5: swapLines(text); return;
    case 6: text.insert(at, std::string(below(300), " (+1=&/"[below(7)])); return;
    default:
      if (at < text.size())
        text[at] = char(below(256));
    }
  }

  /// The letters between two blanks or signs, somewhere in the text.
  std::pair<size_t, size_t> someWord(const std::string &text) {
    constexpr std::string_view ends = " \t\r\n/{}[]:,";
    size_t begin = text.find_first_not_of(ends, below(text.size() + 1));
    if (begin == std::string::npos)
      return {0, 0};
    return {begin, std::min(text.find_first_of(ends, begin), text.size()) - begin};
  }

  void exchangeWord(std::string &text) {
    auto [from, fromLength] = someWord(text);
    std::string word = text.substr(from, fromLength);
    auto [to, toLength] = someWord(text);
    text.replace(to, toLength, word);
  }

  void swapLines(std::string &text) {
    size_t a = text.find('\n', below(text.size() + 1)),
           b = a == std::string::npos ? a : text.find('\n', a + 1);
    if (b == std::string::npos)
      return;
    std::string line = text.substr(a, b - a);
    text.erase(a, b - a);
    text.insert(text.find('\n', below(text.size() + 1)) == std::string::npos ? text.size()
                                                                             : below(text.size()),
                line);
  }

  std::mt19937_64 random;
};

// What must hold

void expectTerms(const std::vector<Term> &terms, const Mechanism &mechanism) {
  for (const Term &term : terms) {
    EXPECT_LT(term.species, mechanism.species.size());
    EXPECT_TRUE(std::isfinite(term.value));
  }
}

void expectReaction(const Reaction &reaction, const Mechanism &mechanism) {
  EXPECT_FALSE(reaction.reactants.empty() || reaction.products.empty());
  expectTerms(reaction.reactants, mechanism);
  expectTerms(reaction.products, mechanism);
  expectTerms(reaction.forwardOrders.value_or(std::vector<Term>{}), mechanism);
  expectTerms(reaction.reverseOrders.value_or(std::vector<Term>{}), mechanism);
  EXPECT_EQ(reaction.reverse == Reverse::Explicit, reaction.reverseRate.has_value());
  EXPECT_TRUE(!reaction.isFalloff() || reaction.collider);
  if (reaction.collider)
    expectTerms(reaction.collider->efficiencies, mechanism);
  if (const auto *chebyshev = std::get_if<Chebyshev>(&reaction.rate))
    EXPECT_EQ(chebyshev->coefficients.size(), size_t(chebyshev->temperatures) * chebyshev->pressures);
  if (const auto *plog = std::get_if<Plog>(&reaction.rate)) {
    EXPECT_FALSE(plog->points.empty());
    EXPECT_TRUE(std::ranges::is_sorted(plog->points, {}, &Plog::Point::pressure));
  }
}

void expectSound(const Mechanism &mechanism) {
  for (const Species &species : mechanism.species) {
    EXPECT_FALSE(species.composition.empty());
    for (const ElementCount &part : species.composition)
      EXPECT_LT(part.element, mechanism.elements.size());
    if (const auto *ranges = std::get_if<std::vector<Nasa7Range>>(&species.thermo))
      EXPECT_FALSE(ranges->empty());
  }
  for (const Reaction &reaction : mechanism.reactions)
    expectReaction(reaction, mechanism);
}

void expectVerdict(const std::optional<Mechanism> &mechanism, const Diagnostics &diagnostics) {
  bool isFault = diagnostics.has(Severity::Error) || diagnostics.has(Severity::Refusal);
  EXPECT_EQ(mechanism.has_value(), !isFault);
  EXPECT_FALSE(diagnostics.has(Severity::InternalError)) << test::printed(diagnostics);
  for (const Diagnostic &each : diagnostics.all()) {
    EXPECT_TRUE(each.location.isKnown()) << each.text;
    EXPECT_FALSE(each.text.empty());
    EXPECT_TRUE(each.location.column <= each.location.sourceLine.size() + 1)
        << each.location.str() << " " << each.text;
  }
  EXPECT_EQ(diagnostics.empty(), test::printed(diagnostics).empty());
  if (mechanism)
    expectSound(*mechanism);
}

// All forms at once, so that mutations reach all of the readers

const char *const everyForm = R"(REACTIONS KELVIN
A+B+M=C+M 1.0E18 -1 0
X/2.5/ AR/0/
A+B+AR=C+AR 1 0 0
A+B(+M)=C(+M) 1.0E12 0.1 100
LOW/2.0E18 -1 200/
TROE/0.5 100 1000 2000/
A+D(+AR)=C(+AR) 1 0 0
LOW/1 0 0/ SRI/1 2 3 4 5/
A(+M)=B(+M) 3.0E12 0 0
HIGH/4.0E5 0 0/
B+D=C 1 0 0
PLOG/0.1 1 0 0/
PLOG/10 3E12 0 0/ PLOG/10 -4E9 0 0/
B(+M)=D(+M) 1 0 0
TCHEB/300 2000/ PCHEB/0.01 100/
CHEB/2 3 1.0 0.1/
CHEB/0.2 2.0 0.3 0.4/
A=D 1 0 0
LT/-64 58.5/ REV/2E11 0.4 80/ RLT/-28 10/
A=>.25X+.75X+Y  1 0 0
DUP
1.5A+.5B=>1.C 1 0 0
FORD/A 0.5/ FORD/X -1/
UNITS/CAL/MOLE/
X+Y=A &
  1 0 0
DUPLICATE
A=X+Y 1 0 0
DUPLICATE
END
)";

TEST(ReaderFuzz, SeedsAreSound) {
  EXPECT_EQ(test::complaints(everyForm), "");
  Diagnostics diagnostics;
  readYaml(fs::path(HEDDLE_SOURCE_DIR) / "tests/chem/data/forms.yaml", diagnostics);
  EXPECT_EQ(test::printed(diagnostics), "");
}

TEST(ReaderFuzz, ChemkinReaderSurvivesMutations) {
  unsigned long count = environmentNumber("HEDDLE_FUZZ_COUNT", 3000),
                first = environmentNumber("HEDDLE_FUZZ_SEED", 1);
  fs::path hydrogen = test::hydrogenExample();
  ChemkinText example{{"chem.inp", textOf(hydrogen / "chem.inp")},
                      SourceText{"therm.dat", textOf(hydrogen / "therm.dat")},
                      SourceText{"tran.dat", textOf(hydrogen / "tran.dat")}};
  ChemkinText forms = test::smallText(everyForm);
  forms.transport = SourceText{"tran.dat", "A 2 100 3 0 0 1\nB 1 100.0 3.0 0 0 0\n"};
  unsigned long sound = 0;
  for (unsigned long n = first; n < first + count; ++n) {
    Mutator mutator(n);
    ChemkinText text = mutator.below(3) == 0 ? example : forms;
    SourceText *parts[] = {&text.reactions, &text.reactions, &text.reactions, &*text.thermo,
                           &*text.transport};
    mutator.mutate(parts[mutator.below(5)]->text, chemkinWords);
    Diagnostics diagnostics;
    std::optional<Mechanism> mechanism = readChemkin(text, diagnostics);
    expectVerdict(mechanism, diagnostics);
    sound += mechanism.has_value();
    if (HasFailure())
      FAIL() << "HEDDLE_FUZZ_SEED=" << n << " HEDDLE_FUZZ_COUNT=1\n" << text.reactions.text;
  }
  std::printf("%lu inputs from seed %lu, %lu of them sound\n", count, first, sound);
}

TEST(ReaderFuzz, YamlReaderSurvivesMutations) {
  unsigned long count = environmentNumber("HEDDLE_FUZZ_COUNT", 1500),
                first = environmentNumber("HEDDLE_FUZZ_SEED", 1);
  std::string example = textOf(test::hydrogenExample() / "mechanism.yaml");
  std::string forms = textOf(fs::path(HEDDLE_SOURCE_DIR) / "tests/chem/data/forms.yaml");
  unsigned long sound = 0;
  for (unsigned long n = first; n < first + count; ++n) {
    Mutator mutator(n);
    SourceText text{"a.yaml", mutator.below(4) == 0 ? example : forms};
    mutator.mutate(text.text, yamlWords);
    Diagnostics diagnostics;
    std::optional<Mechanism> mechanism = readYaml(text, diagnostics);
    expectVerdict(mechanism, diagnostics);
    sound += mechanism.has_value();
    if (HasFailure())
      FAIL() << "HEDDLE_FUZZ_SEED=" << n << " HEDDLE_FUZZ_COUNT=1\n" << text.text;
  }
  std::printf("%lu inputs from seed %lu, %lu of them sound\n", count, first, sound);
}

} // namespace
} // namespace heddle::chem
