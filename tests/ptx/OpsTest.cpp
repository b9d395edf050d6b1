// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Helpers.h"
#include "ptx/Rows.h"

#include <set>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;

namespace {

struct Example {
  std::string row, written, printed;
};

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<Example> examples() {
  std::vector<Example> list;
  std::istringstream lines(readFile(dataPath("examples.txt")));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    size_t colon = line.find(':'), arrow = line.find("=>");
    std::string written =
        trimmed(line.substr(colon + 1, arrow == std::string::npos ? arrow : arrow - colon - 1));
    std::string printed = arrow == std::string::npos ? written : trimmed(line.substr(arrow + 2));
    list.push_back({line.substr(0, colon), written, printed});
  }
  return list;
}

/// Whether a row has a slot for the word, whatever is beside it.
bool takesWord(const Row &row, std::string_view word) {
  for (const SuffixSlot &slot : row.suffix) {
    if (slot.kind == SuffixSlot::Kind::Flag && text(slot.flag) == word)
      return true;
#define PTX_MOD(KIND, NAME, TEXT)                                                                            \
  if (slot.kind == SuffixSlot::Kind::Mod && slot.mod == ModKind::KIND && word == TEXT)                       \
    return true;
#include "ptx/Mods.def"
  }
  return false;
}

/// The example's instruction: the first one of the kernel.
const Instr &instrOf(const Module &module) { return module.functions[module.findFunction("k")].instrs[0]; }

} // namespace

TEST(Ops, EveryRowHasAnExample) {
  std::set<std::string> covered;
  for (const Example &example : examples())
    covered.insert(example.row);
  for (unsigned i = 0; i < kNumOps; ++i) {
    std::string name(info(Op(i)).name);
    EXPECT_EQ(covered.count(name), 1u) << "tests/ptx/data/examples.txt has no example for " << name;
    covered.erase(name);
  }
  for (const std::string &name : covered)
    ADD_FAILURE() << "examples.txt: there is no row " << name;
}

TEST(Ops, EveryExampleDecodesToItsRow) {
  for (const Example &example : examples()) {
    SCOPED_TRACE(example.written);
    Module module = parseGood(kernel(example.written));
    const Instr &instr = instrOf(module);
    EXPECT_EQ(info(instr.op).name, example.row);
    EXPECT_EQ(info(instr.op).supported, module.unsupported.empty());
  }
}

TEST(Ops, EveryExamplePrintsAndReadsBack) {
  for (const Example &example : examples()) {
    SCOPED_TRACE(example.written);
    Module module = parseGood(kernel(example.written));
    const Function &function = module.functions[module.findFunction("k")];
    std::string printed = print(module, function, function.instrs[0]);
    EXPECT_EQ(printed, example.printed);
    Module again = parseGood(kernel(printed));
    EXPECT_EQ(instrOf(again).op, instrOf(module).op);
    EXPECT_EQ(instrOf(again).mods, instrOf(module).mods);
    EXPECT_TRUE(std::equal(std::begin(instrOf(module).types), std::end(instrOf(module).types),
                           std::begin(instrOf(again).types)));
    expectStable(module, example.written);
  }
}

TEST(Ops, EveryExampleTakesAGuard) {
  for (const Example &example : examples()) {
    if (example.written[0] == '@')
      continue;
    Module module = parseGood(kernel("@!%p8 " + example.written));
    EXPECT_TRUE(instrOf(module).guard) << example.written;
    EXPECT_TRUE(instrOf(module).guard.negated) << example.written;
  }
}

TEST(Ops, SuffixWordsOfARowAreNotAmbiguous) {
  // Each mnemonic that a row prints with one word of one kind must be read back with just that word.
  for (unsigned i = 0; i < kNumOps; ++i) {
    const Row &row = rowOf(Op(i));
    std::set<std::pair<int, int>> seen;
    for (const SuffixSlot &slot : row.suffix) {
      if (slot.kind == SuffixSlot::Kind::Type)
        continue;
      int key = slot.kind == SuffixSlot::Kind::Flag ? -1 - int(slot.flag) : int(slot.mod);
      EXPECT_TRUE(seen.insert({key, int(slot.isSecond)}).second) << row.info->name << " names a slot twice";
    }
  }
}

TEST(Ops, EveryRuleOfFormsDefIsAboutAWordOfItsRow) {
  struct Rule {
    const char *instructions, *words;
  };
  const Rule rules[] = {
#define PTX_GOES(INSTRUCTIONS, WORDS, TYPES) {INSTRUCTIONS, WORDS},
#define PTX_FROM(INSTRUCTIONS, WORDS, TYPES) {INSTRUCTIONS, WORDS},
#define PTX_NEEDS(INSTRUCTIONS, WORDS, TYPES) {INSTRUCTIONS, WORDS},
#define PTX_APART(INSTRUCTIONS, WORDS, OTHERS) {INSTRUCTIONS, WORDS " " OTHERS},
#define PTX_PAIR(INSTRUCTIONS, TYPES, OTHERS) {INSTRUCTIONS, ""},
#include "ptx/Forms.def"
  };
  for (const Rule &rule : rules) {
    std::istringstream names{std::string(rule.instructions)};
    for (std::string name; names >> name;) {
      ASSERT_FALSE(rowsOf(name).empty()) << "Forms.def: there is no instruction " << name;
      std::istringstream words{std::string(rule.words)};
      for (std::string word; words >> word;)
        EXPECT_TRUE(takesWord(rowOf(rowsOf(name).back()), word))
            << "Forms.def: " << name << " takes no ." << word;
    }
  }
}

TEST(Ops, TypesOutsideTheRowAreNotSupported) {
  Module module = parseGood(kernel("add.b32 %r1, %r2, %r3;"));
  ASSERT_EQ(module.unsupported.size(), 1u);
  EXPECT_EQ(module.unsupported[0].name, "add.b32");
  EXPECT_EQ(module.unsupported[0].reason, "not supported: '.b32' does not go with 'add' here");
}

TEST(Ops, AnUnknownInstructionIsKeptWithItsText) {
  Module module = parseGood(kernel("@%p1 frobnicate.global.x2 {%r1,  %r2}, [whatever+4],\n 7;"));
  ASSERT_EQ(module.unsupported.size(), 1u);
  EXPECT_EQ(module.unsupported[0].name, "frobnicate");
  EXPECT_EQ(module.unsupported[0].reason, "not supported");
  const Instr &instr = instrOf(module);
  EXPECT_EQ(instr.op, Op::Unsupported);
  EXPECT_EQ(module.texts[instr.text], "frobnicate.global.x2 {%r1, %r2}, [whatever+4], 7");
  EXPECT_EQ(mnemonic(module, instr), "frobnicate.global.x2");
}

TEST(Ops, WhatPtxDoesNotSayIsNotGuessed) {
  for (const char *text : {"mul.s32 %r1, %r2, %r3;",
                           "mul.lo.f32 %r1, %r2, %r3;",
                           "setp.s32 %p1, %r1, %r2;",
                           "mul.wide.s64 %d1, %d2, %d3;",
                           "add.cc.f32 %r1, %r2, %r3;",
                           "shf.l.b32 %r1, %r2, %r3, 1;",
                           "min.xorsign.f32 %r1, %r2, %r3;",
                           "atom.global.u32 %r1, [%d1], %r2;",
                           "shfl.sync.b32 %r1, %r2, 1, 31, -1;",
                           "cvt.s32 %r1, %r2;",
                           "add.sat.s64 %d1, %d2, %d3;",
                           "add.sat.u32 %r1, %r2, %r3;",
                           "add.rn.s32 %r1, %r2, %r3;",
                           "add.rni.f32 %r1, %r2, %r3;",
                           "add.sat.cc.s32 %r1, %r2, %r3;",
                           "mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
                           "fma.f32 %r1, %r2, %r3, %r4;",
                           "fma.rz.bf16 %h1, %h2, %h3, %h4;",
                           "min.relu.u32 %r1, %r2, %r3;",
                           "min.abs.f32 %r1, %r2, %r3;",
                           "div.f32 %r1, %r2, %r3;",
                           "div.approx.f64 %d1, %d2, %d3;",
                           "sin.f32 %r1, %r2;",
                           "rcp.approx.f64 %d1, %d2;",
                           "setp.lo.s32 %p1, %r1, %r2;",
                           "setp.ltu.u32 %p1, %r1, %r2;",
                           "setp.lt.b32 %p1, %r1, %r2;",
                           "set.eq.f16x2.f32 %r1, %r2, %r3;",
                           "lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 5, %p2;",
                           "cvt.s32.f32 %r1, %r2;",
                           "cvt.f32.f64 %r1, %d2;",
                           "cvt.rn.f64.f32 %d1, %r2;",
                           "cvt.rn.s32.f32 %r1, %r2;",
                           "cvt.rni.f32.f64 %r1, %d2;",
                           "cvt.rzi.ftz.s32.f64 %r1, %d2;",
                           "cvt.rn.f32.tf32 %r1, %r2;",
                           "cvt.rn.e4m3x2.f32 %h1, %r2, %r3;",
                           "atom.global.exch.b16 %h1, [%d1], %h2;",
                           "atom.global.inc.s32 %r1, [%d1], %r2;",
                           "redux.sync.add.f32 %r1, %r2, -1;"})
    EXPECT_EQ(parseGood(kernel(text)).unsupported.size(), 1u) << text;
}

// Facts of a row that must agree with each other.

TEST(Ops, AFixedLatencyHasAKeyAndAnyOtherRuleNone) {
  for (unsigned i = 0; i < kNumOps; ++i)
    EXPECT_EQ(info(Op(i)).latency == LatencyRule::Fixed, !info(Op(i)).latencyKey.empty()) << info(Op(i)).name;
}

TEST(Ops, WhatReadsOrWritesMemoryIsNoPlainArithmetic) {
  for (unsigned i = 0; i < kNumOps; ++i) {
    const OpInfo &op = info(Op(i));
    if (op.memory == Memory::None)
      continue;
    EXPECT_GE(op.taint, Taint::Load) << op.name;
    EXPECT_GE(op.cls, op.memory == Memory::Orders ? OpClass::Fence : OpClass::Load) << op.name;
  }
}

TEST(Ops, EverythingThatAWholeWarpDoesWithMatricesCountsAsSuch) {
  for (Op op : {Op::MmaSync, Op::LdMatrix, Op::StMatrix, Op::MovMatrix, Op::WmmaLoadA, Op::WmmaLoadB,
                Op::WmmaLoadC, Op::WmmaStoreD, Op::WmmaMma})
    EXPECT_EQ(info(op).cls, OpClass::Matrix) << info(op).name;
}
