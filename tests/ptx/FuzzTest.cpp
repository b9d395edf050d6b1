// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutated PTX. Whatever comes in: no crash, no hang; and what is read without an error holds together,
// prints, and prints the same again after it was read back. HEDDLE_FUZZ_COUNT says how many inputs (a million
// takes about a minute on one core), HEDDLE_FUZZ_SEED where to begin: input n of a run depends on seed + n
// only, so a failure is run again with that seed and a count of 1.
#include "Helpers.h"

#include <cstdlib>
#include <filesystem>
#include <random>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;

namespace {

unsigned long environmentNumber(const char *name, unsigned long otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoul(value, nullptr, 10) : otherwise;
}

std::vector<std::string> seeds() {
  std::vector<std::string> list;
  for (const char *name : {"saxpy.ptx", "everything.ptx", "inlined.ptx"})
    list.push_back(readFile(dataPath(name)));
  std::istringstream lines(readFile(dataPath("examples.txt")));
  std::string some;
  unsigned count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    some += line.substr(line.find(':') + 1, line.find("=>") - line.find(':') - 1) + "\n";
    if (++count % 8 == 0)
      list.push_back(kernel(std::exchange(some, "")));
  }
  return list;
}

constexpr const char *kWords[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "<",
    ">",
    "=",
    "+",
    "-",
    "\"",
    "/*",
    "*/",
    "//",
    "\0",
    "_",
    "%r1",
    "%p1",
    "%d1",
    "%tid.x",
    "WARP_SZ",
    "0",
    "-1",
    "0x7fffffffffffffff",
    "18446744073709551616",
    "4000000000",
    "0f3F800000",
    "0d3FF0000000000000",
    "1.0e308",
    ".reg .b32 %r<4294967295>;",
    ".global",
    ".shared",
    ".param",
    ".align",
    ".b8",
    ".u64",
    ".f32",
    ".pred",
    ".v4",
    ".loc 1 2 3",
    ".section",
    ".entry",
    ".func",
    ".branchtargets",
    ".callprototype",
    "generic(",
    "bra",
    "ret;",
    "call",
    "ld.global.v4.f32",
    "setp.lt.and.f32",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "inlined_at",
    "function_name",
    ".alias",
    ".version 9.9",
    "[1000000000000]",
    "\n",
    "\xff\xfe",
};

class Mutator {
public:
  Mutator(const std::vector<std::string> &from, uint64_t seed) : seeds(from), random(seed) {}

  std::string next() {
    std::string text = seeds[random() % seeds.size()];
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      mutate(text);
    return text;
  }

private:
  size_t location(const std::string &text) { return text.empty() ? 0 : random() % (text.size() + 1); }

  void mutate(std::string &text) {
    size_t at = location(text), length = 1 + random() % 40;
    switch (random() % 8) {
    case 0:
      if (at < text.size())
        text[at] = char(random());
      break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, text.substr(location(text), length)); break;
    case 3:
    case 4: text.insert(at, kWords[random() % std::size(kWords)]); break;
    case 5: text.replace(at, std::min(length, text.size() - at), kWords[random() % std::size(kWords)]); break;
    case 6: {
      const std::string &other = seeds[random() % seeds.size()];
      text.insert(at, other.substr(random() % other.size(), length * 4));
      break;
    }
    case 7:
      if (random() % 4 == 0)
        text.resize(at);
      else if (at < text.size())
        text[at] ^= char(1 << random() % 8);
      break;
    }
  }

  const std::vector<std::string> &seeds;
  std::mt19937_64 random;
};

void expectOperandHolds(const Module &m, const Function &f, const Operand &o) {
  switch (o.kind) {
  case OperandKind::Reg:
  case OperandKind::AddrReg: ASSERT_LT(o.index, f.registers.size()); break;
  case OperandKind::Var:
  case OperandKind::AddrVar: ASSERT_LT(o.index, m.variables.size()); break;
  case OperandKind::Func: ASSERT_LT(o.index, m.functions.size()); break;
  case OperandKind::Label: ASSERT_LT(o.index, f.instrs.size()); break;
  case OperandKind::Targets: ASSERT_LT(o.index, f.targetLists.size()); break;
  case OperandKind::Proto: ASSERT_LT(o.index, f.prototypes.size()); break;
  case OperandKind::Vector: ASSERT_LE(o.index + o.count, f.operands.size()); break;
  default: break;
  }
}

/// Every index of the module is inside what it points into: what the simulator relies on without looking.
void expectHolds(const Module &m) {
  for (const Function &f : m.functions) {
    for (const Instr &i : f.instrs) {
      ASSERT_LE(i.firstOperand + i.numOperands, f.operands.size());
      ASSERT_TRUE(!i.guard || f.registers[i.guard.reg].cls == RegClass::Pred);
      ASSERT_TRUE(i.loc == kNone || i.loc < m.locs.size());
    }
    for (const Operand &o : f.operands)
      expectOperandHolds(m, f, o);
    for (const std::vector<uint32_t> &list : f.targetLists)
      for (uint32_t target : list)
        ASSERT_LT(target, f.instrs.size());
    ASSERT_EQ(f.isDefined, !f.blocks.empty());
    for (const Block &b : f.blocks)
      ASSERT_LT(b.first, b.end);
  }
}

} // namespace

TEST(Fuzz, MutatedTextDoesNoHarm) {
  unsigned long count = environmentNumber("HEDDLE_FUZZ_COUNT", 20000);
  unsigned long first = environmentNumber("HEDDLE_FUZZ_SEED", 1);
  const std::vector<std::string> from = seeds();
  unsigned long sound = 0;
  for (unsigned long n = first; n < first + count; ++n) {
    std::string text = Mutator(from, n).next();
    Diagnostics diagnostics;
    Module module = parse(text, "fuzz.ptx", diagnostics);
    if (diagnostics.has(Severity::Error))
      continue;
    ++sound;
    expectHolds(module);
    expectStable(module, "mutated");
    if (::testing::Test::HasFailure()) {
      FAIL() << "HEDDLE_FUZZ_SEED=" << n << " HEDDLE_FUZZ_COUNT=1\n" << text;
    }
  }
  RecordProperty("sound", std::to_string(sound));
  std::printf("%lu inputs from seed %lu, %lu of them sound PTX\n", count, first, sound);
  EXPECT_TRUE(count < 1000 || sound > 0) << "the mutations leave nothing intact: the test tests nothing";
}
