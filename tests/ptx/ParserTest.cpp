// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Helpers.h"
#include "ptx/Layout.h"
#include "ptx/Matrix.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;
using testing::ElementsAre;

namespace {

const Function &only(const Module &module) { return module.functions[module.findFunction("k")]; }

Module body(const std::string &statements) { return parseGood(kernel(statements)); }

const Operand &operandOf(const Module &m, uint32_t instr, unsigned n) {
  return only(m).operandsOf(only(m).instrs[instr])[n];
}

const Register &regOf(const Module &m, uint32_t instr, unsigned n) {
  return only(m).registers[operandOf(m, instr, n).index];
}

std::vector<std::string> names(const Function &f) {
  std::vector<std::string> list;
  for (const Register &r : f.registers)
    list.push_back(r.name);
  return list;
}

} // namespace

TEST(Parser, ReadsTheHeader) {
  Module m = parseGood(".version 8.7\n.target sm_90a, texmode_independent, debug\n.address_size 32\n");
  EXPECT_EQ(m.versionMajor, 8u);
  EXPECT_EQ(m.versionMinor, 7u);
  EXPECT_EQ(m.target, "sm_90a");
  EXPECT_EQ(m.smVersion, 90u);
  EXPECT_EQ(m.addressBits, 32u);
  EXPECT_TRUE(m.hasDebugTarget);
}

TEST(Parser, HandWrittenFilesReadAndPrintStably) {
  for (const char *name : {"saxpy.ptx", "everything.ptx", "inlined.ptx"}) {
    Module m = parseGood(readFile(dataPath(name)), name);
    EXPECT_TRUE(m.unsupported.empty()) << name;
    expectStable(m, name);
  }
}

TEST(Parser, RegistersExistOnceNamedAndAreNumberedByClass) {
  Module m = body("add.s32 %r7, %r3, %r7;\n mov.b64 %d2, 5;\n setp.eq.s32 %p1, %r3, 1;");
  EXPECT_THAT(names(only(m)), ElementsAre("%r7", "%r3", "%d2", "%p1"));
  EXPECT_EQ(only(m).registers[1].slot, 1u);
  EXPECT_EQ(only(m).registers[2].slot, 0u);
  EXPECT_EQ(only(m).slots[unsigned(RegClass::B32)], 2u);
  EXPECT_EQ(only(m).slots[unsigned(RegClass::Pred)], 1u);
  EXPECT_EQ(only(m).slots[unsigned(RegClass::B16)], 0u);
}

TEST(Parser, InnerScopesHideOuterNamesAndGiveThemBack) {
  Module m = body("mov.b32 %r1, 1;\n"
                  "{ .reg .b64 %r1; mov.b64 %r1, 2; { .reg .b16 %r<4>; mov.b16 %r1, 3; } mov.b64 %r1, 4; }\n"
                  "mov.b32 %r1, 5;");
  EXPECT_THAT(names(only(m)), ElementsAre("%r1", "%r1_$1", "%r1_$2"));
  std::vector<uint32_t> used;
  for (uint32_t i = 0; i < 5; ++i)
    used.push_back(operandOf(m, i, 0).index);
  EXPECT_THAT(used, ElementsAre(0, 1, 2, 1, 0));
  expectStable(m, "scopes");
}

TEST(Parser, ARangeDeclaredInsideBindsOutsideOnlyWhereItShould) {
  // %r2 is first named inside but belongs to the outer range, so it is the same register afterwards.
  Module m = body("{ mov.b32 %r2, 1; }\n mov.b32 %r2, 2;");
  EXPECT_EQ(operandOf(m, 0, 0).index, operandOf(m, 1, 0).index);
}

TEST(Parser, LabelsBelongToTheirScope) {
  // Inline assembly repeats its labels; each branch goes to the one of its own braces.
  Module m = body("{ bra L; nanosleep.u32 1; L: nanosleep.u32 2; }\n"
                  "{ bra L; nanosleep.u32 3; L: nanosleep.u32 4; }\n"
                  "{ { bra Out; } } nanosleep.u32 5; Out: nanosleep.u32 6;");
  EXPECT_EQ(operandOf(m, 0, 0).index, 2u);
  EXPECT_EQ(operandOf(m, 3, 0).index, 5u);
  EXPECT_EQ(operandOf(m, 6, 0).index, 8u);
  expectStable(m, "labels");
}

TEST(Parser, AFunctionAlwaysEndsInSomethingThatLeaves) {
  Module m = parseGood(header() + ".entry a() { }\n.entry b() { .reg .pred %p<2>; @%p1 ret; }\n"
                                  ".entry c() { ret; L: }\n.entry d() { bra L; L: }");
  for (const Function &f : m.functions) {
    EXPECT_EQ(f.instrs.back().op, Op::Ret) << f.name;
    EXPECT_FALSE(f.instrs.back().guard) << f.name;
  }
  EXPECT_EQ(m.functions[3].operands[0].index, 1u);
  expectStable(m, "ends");
}

TEST(Parser, ConstantsTakeTheBitsOfTheirType) {
  Module m =
      body("mov.u16 %h1, -1;\n add.f32 %r1, %r2, 1.5;\n add.f64 %d1, %d2, 0f3F800000;\n"
           "add.f32 %r1, %r2, 0d3FF0000000000000;\n mov.b64 %d1, -2;\n add.s32 %r1, %r2, 0xFFFFFFFF;\n"
           "mov.u32 %r1, (5 > 3) ? 10 % 4 : 1 / 0x1;\n mov.s32 %r1, -7 / 2;\n mov.u32 %r1, ~0 >> 60U;\n"
           "add.f32 %r1, %r2, -1.0;");
  EXPECT_EQ(operandOf(m, 0, 1).value, 0xffffu);
  EXPECT_EQ(operandOf(m, 1, 2).value, 0x3fc00000u);
  EXPECT_EQ(operandOf(m, 2, 2).value, 0x3ff0000000000000u);
  EXPECT_EQ(operandOf(m, 3, 2).value, 0x3f800000u);
  EXPECT_EQ(operandOf(m, 4, 1).value, ~uint64_t(1));
  EXPECT_EQ(operandOf(m, 5, 2).value, 0xffffffffu);
  EXPECT_EQ(operandOf(m, 6, 1).value, 2u);
  EXPECT_EQ(operandOf(m, 7, 1).value, uint32_t(-3));
  EXPECT_EQ(operandOf(m, 8, 1).value, 0xffffffffu) << "~0 is signed, so the shift fills with ones";
  EXPECT_EQ(operandOf(m, 9, 2).value, 0xbf800000u);
}

TEST(Parser, AddressesAreRegisterSymbolOrNumber) {
  Module m = body("ld.global.b32 %r1, [%d1+-8];\n ld.shared.b32 %r1, [sv+12];\n ld.b32 %r1, [0x40];");
  EXPECT_EQ(operandOf(m, 0, 1).kind, OperandKind::AddrReg);
  EXPECT_EQ(operandOf(m, 0, 1).offset(), -8);
  EXPECT_EQ(operandOf(m, 1, 1).kind, OperandKind::AddrVar);
  EXPECT_EQ(m.variables[operandOf(m, 1, 1).index].name, "sv");
  EXPECT_EQ(operandOf(m, 1, 1).offset(), 12);
  EXPECT_EQ(operandOf(m, 2, 1).kind, OperandKind::AddrImm);
  EXPECT_EQ(operandOf(m, 2, 1).value, 64u);
}

TEST(Parser, SpecialRegistersOutsideMovAreMovedFirst) {
  Module m = body("mad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x;\n st.global.u64 [%d1], gv;");
  std::vector<Op> ops;
  for (const Instr &i : only(m).instrs)
    ops.push_back(i.op);
  EXPECT_THAT(ops, ElementsAre(Op::Mov, Op::Mov, Op::Mov, Op::Mad, Op::Mov, Op::St, Op::Ret));
  EXPECT_EQ(operandOf(m, 1, 1).kind, OperandKind::Special);
  EXPECT_EQ(SpecialReg(operandOf(m, 1, 1).index), SpecialReg::NTidX);
  EXPECT_EQ(operandOf(m, 3, 2).index, operandOf(m, 1, 0).index);
  EXPECT_EQ(regOf(m, 4, 0).cls, RegClass::B64);
  expectStable(m, "moved");
}

TEST(Parser, ADestinationWithAPredicateIsAlwaysTwoOperands) {
  Module m = body(
      "setp.eq.s32 %p1, %r1, %r2;\n setp.eq.s32 %p1|%p2, %r1, %r2;\n shfl.sync.up.b32 %r1, %r2, 1, 0, -1;");
  EXPECT_EQ(only(m).instrs[0].numOperands, 4);
  EXPECT_EQ(operandOf(m, 0, 1).kind, OperandKind::Sink);
  EXPECT_EQ(only(m).instrs[1].numOperands, 4);
  EXPECT_TRUE(operandOf(m, 1, 1).isReg());
  EXPECT_EQ(only(m).instrs[2].numOperands, 6);
}

TEST(Parser, OptionalOperandsInTheMiddleAreFoundByTheirShape) {
  Module m = body("bar.red.popc.u32 %r1, 0, %p1;\n bar.red.popc.u32 %r1, 0, 64, %p1;\n"
                  "mbarrier.arrive.shared.b64 [%r1], 5;\n mbarrier.arrive.shared.b64 %d1, [%r1];");
  EXPECT_EQ(only(m).instrs[0].numOperands, 3);
  EXPECT_EQ(regOf(m, 0, 2).cls, RegClass::Pred);
  EXPECT_EQ(regOf(m, 1, 3).cls, RegClass::Pred);
  EXPECT_TRUE(operandOf(m, 2, 0).isAddress());
  EXPECT_TRUE(operandOf(m, 3, 1).isAddress());
}

TEST(Parser, MnemonicsMayHaveBlanksBeforeTheirDots) {
  Module m = body("setp .ne .s32 %p1, %r1, 0;");
  EXPECT_EQ(only(m).instrs[0].op, Op::Setp);
  EXPECT_EQ(only(m).instrs[0].mods.cmp, CmpOp::Ne);
}

TEST(Parser, ModifiersAreReadInAnyOrder) {
  Module m = body("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%r1, %r2}, [%r3];");
  EXPECT_EQ(print(m, only(m), only(m).instrs[0]),
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r3];");
}

TEST(Parser, SharedCtaIsSharedAndPrintsAsWritten) {
  Module m =
      body("ld.shared::cta.b32 %r1, [%r2];\n ld.shared.b32 %r1, [%r2];\n ld.shared::cluster.b32 %r1, [%r2];");
  EXPECT_EQ(only(m).instrs[0].mods.space, Space::Shared);
  EXPECT_EQ(only(m).instrs[1].mods.space, Space::Shared);
  EXPECT_EQ(only(m).instrs[2].mods.space, Space::SharedCluster);
  EXPECT_EQ(mnemonic(m, only(m).instrs[0]), "ld.shared::cta.b32");
}

TEST(Parser, CopiesHaveTwoSpaces) {
  Module m = body("cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 64;");
  EXPECT_EQ(only(m).instrs[0].mods.space, Space::Global);
  EXPECT_EQ(only(m).instrs[0].mods.space2, Space::Shared);
}

TEST(Parser, CallsListResultsAndArguments) {
  Module m = body("call.uni (pout), gives, (pcall);\n call callee;\n call (pout), %d1, (pcall), proto;");
  const Operand &results = operandOf(m, 0, 1), &arguments = operandOf(m, 0, 2);
  EXPECT_EQ(operandOf(m, 0, 0).kind, OperandKind::Func);
  EXPECT_EQ(m.functions[operandOf(m, 0, 0).index].name, "gives");
  ASSERT_EQ(results.count, 1);
  EXPECT_EQ(m.variables[only(m).elementsOf(results)[0].index].name, "pout");
  EXPECT_EQ(m.variables[only(m).elementsOf(arguments)[0].index].name, "pcall");
  EXPECT_EQ(operandOf(m, 1, 1).count, 0);
  ASSERT_EQ(only(m).instrs[2].numOperands, 4);
  EXPECT_EQ(only(m).prototypes[operandOf(m, 2, 3).index].params.size(), 1u);
}

TEST(Parser, CallAreasOfScopesThatDoNotOverlapShareTheirBytes) {
  Module m = body("{ .param .b64 a; .param .b32 b; }\n { .param .align 16 .b8 c[64]; }\n");
  EXPECT_EQ(only(m).callBytes, 16u + 64u) << "pcall and pout stay, the two inner areas lie over each other";
}

TEST(Parser, VariablesHaveSizeAlignmentAndInit) {
  Module m = parseGood(header() + R"(
.visible .global .align 4 .u32 a = 7, b;
.global .f64 c[2][3] = {{1.0}, {0d4000000000000000, 0f40400000}};
.const .align 8 .b8 d[] = {1, 2, -1};
.weak .global .attribute(.managed) .align 4 .u32 e[2];
.extern .shared .align 16 .b8 dyn[];
.global .v4 .f32 v = {1.0, 2.0, 3.0, 4.0};
.common .global .b32 later;
.global .b32 later = 3;
)");
  auto v = [&](const char *name) -> const Variable & { return m.variables[m.findVariable(name)]; };
  EXPECT_EQ(v("a").linkage, Linkage::Visible);
  EXPECT_THAT(v("a").init, ElementsAre(7, 0, 0, 0));
  EXPECT_EQ(v("b").bytes, 4u);
  EXPECT_EQ(v("c").bytes, 48u);
  EXPECT_EQ(v("c").init.size(), 40u) << "the last element of the second row is left out";
  EXPECT_EQ(v("c").init[7], 0x3f);
  EXPECT_EQ(v("c").init[24 + 7], 0x40) << "the second row begins at its own place";
  EXPECT_THAT(v("d").init, ElementsAre(1, 2, 255));
  EXPECT_EQ(v("d").bytes, 3u);
  EXPECT_TRUE(v("e").isManaged);
  EXPECT_TRUE(v("dyn").isDynamicShared());
  EXPECT_EQ(v("v").align, 16u);
  EXPECT_EQ(v("v").init.size(), 16u);
  EXPECT_THAT(v("later").init, ElementsAre(3, 0, 0, 0));
  expectStable(m, "variables");
}

TEST(Parser, InitializersMayHoldAddresses) {
  Module m = parseGood(header() + R"(
.func f;
.global .b32 x[4];
.global .u64 p[4] = {x, generic(x)+8, f, generic(x+4)-1};
.global .b8 bytes[2] = {0xFF(generic(x)+4), 0xFF00(generic(x)+4)};
)");
  const Variable &p = m.variables[m.findVariable("p")];
  ASSERT_EQ(p.relocs.size(), 4u);
  EXPECT_FALSE(p.relocs[0].generic);
  EXPECT_TRUE(p.relocs[1].generic);
  EXPECT_EQ(p.relocs[1].offset, 8u);
  EXPECT_EQ(p.relocs[1].addend, 8);
  EXPECT_TRUE(p.relocs[2].isFunction);
  EXPECT_EQ(p.relocs[3].addend, 3);
  const Variable &bytes = m.variables[m.findVariable("bytes")];
  EXPECT_EQ(bytes.relocs[1].shift, 8);
  EXPECT_EQ(bytes.relocs[1].bytes, 1);
  expectStable(m, "addresses");
}

TEST(Parser, KernelsHaveParametersAndBounds) {
  Module m = parseGood(header() + R"(
.weak .entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u64 .ptr .global .align 4 c)
.maxntid 128, 2, 1
.minnctapersm 3
.maxnreg 40
.reqnctapercluster 2
.pragma "nounroll";
{ ret; }
.visible .func (.param .b32 r) f(.param .b64 x, .reg .b32 %y) .noreturn { mov.b32 %y, %y; ret; }
)");
  const Function &k = only(m);
  EXPECT_TRUE(k.isEntry);
  EXPECT_EQ(k.paramBytes, 32u);
  EXPECT_EQ(m.variables[k.params[1].variable].offset, 8u);
  EXPECT_EQ(m.variables[k.params[2].variable].offset, 24u);
  EXPECT_EQ(k.bounds.maxNTid[1], 2u);
  EXPECT_EQ(k.bounds.minNCtaPerSm, 3u);
  EXPECT_EQ(k.bounds.reqNCtaPerCluster[1], 1u);
  const Function &f = m.functions[m.findFunction("f")];
  EXPECT_TRUE(f.noReturn);
  EXPECT_EQ(f.results.size(), 1u);
  EXPECT_EQ(f.registers[f.params[1].reg].name, "%y");
  expectStable(m, "kernels");
}

TEST(Parser, ADeclarationAndItsDefinitionAreOneFunction) {
  Module m = parseGood(header() + ".extern .func vprintf(.param .b64 a);\n.func g;\n"
                                  ".entry k() { call g; ret; }\n.visible .func g { ret; }\n.func g;");
  EXPECT_EQ(m.functions.size(), 3u);
  EXPECT_FALSE(m.functions[0].isDefined);
  EXPECT_TRUE(m.functions[1].isDefined);
  EXPECT_EQ(m.functions[1].linkage, Linkage::Visible);
}

TEST(Parser, CallsOfAnAliasGoToItsTarget) {
  Module m = parseGood(header() + ".func f;\n.func g { ret; }\n.entry k() { call f; ret; }\n.alias f, g;");
  EXPECT_EQ(m.functions[operandOf(m, 0, 0).index].name, "g");
  expectStable(m, "alias");
}

TEST(Parser, LocationsCarryTheInliningChain) {
  Module m = parseGood(readFile(dataPath("inlined.ptx")), "inlined.ptx");
  const Function &f = only(m);
  const Instr *add = nullptr;
  for (const Instr &i : f.instrs)
    if (i.op == Op::Add)
      add = &i;
  ASSERT_TRUE(add);
  EXPECT_EQ(m.sourceLocation(*add), "/src/kernel.cu:3:12");
  const SourceLoc &inner = m.locs[add->loc];
  EXPECT_EQ(m.texts[inner.function], "square");
  const SourceLoc &middle = m.locs[inner.inlinedAt];
  EXPECT_EQ(middle.line, 8u);
  EXPECT_EQ(m.texts[middle.function], "norm");
  const SourceLoc &outer = m.locs[middle.inlinedAt];
  EXPECT_EQ(outer.line, 14u);
  EXPECT_EQ(outer.inlinedAt, kNone);
}

TEST(Parser, DebugSectionsAreSkipped) {
  Module m = parseGood(header() + ".entry k() { ret; }\n.file 1 \"a.cu\", 12, 34\n"
                                  ".section .debug_info { .b32 1, 2, $L__x+4 \n .b8 0 }\n"
                                  ".section .debug_str\n{\n info: .b8 65,66,0\n}\n");
  EXPECT_EQ(m.files.size(), 1u);
  EXPECT_EQ(m.functions.size(), 1u);
}

TEST(Parser, PlacesCountLinesAndColumnsFromOne) {
  Module m =
      parseGood(header() + ".entry k() {\n .reg .b32 %r<2>;\n/* two\nlines */  mov.b32 %r1, 5; // note\n}");
  EXPECT_EQ(m.functions[0].instrs[0].line, 7u);
  EXPECT_EQ(m.functions[0].instrs[0].column, 11u);
}

TEST(Layout, SharedVariablesOfAKernelAreThoseItReaches) {
  Module m = parseGood(header() + R"(
.shared .align 4 .b8 a[6];
.shared .align 8 .b8 b[8];
.shared .align 4 .b8 unused[400];
.extern .shared .align 32 .b8 dyn[];
.func f { .reg .b32 %r<2>; ld.shared.b32 %r1, [b]; ret; }
.entry k() { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.shared.b32 %r1, [a]; mov.u64 %d1, dyn; call f; ret; }
.entry other() { ret; }
)");
  SharedLayout layout = layoutShared(m, m.findFunction("k"));
  EXPECT_EQ(layout.offsetOf(m.findVariable("a")), 0u);
  EXPECT_EQ(layout.offsetOf(m.findVariable("b")), 8u);
  EXPECT_EQ(layout.offsetOf(m.findVariable("unused")), ~uint64_t(0));
  EXPECT_EQ(layout.staticBytes, 16u);
  EXPECT_EQ(layout.dynamicOffset, 32u);
  EXPECT_EQ(layout.offsetOf(m.findVariable("dyn")), 32u);
  EXPECT_EQ(layoutShared(m, m.findFunction("other")).staticBytes, 0u);
}

TEST(Matrix, FragmentsHaveTheRegistersOfTheIsa) {
  auto registers = [](MmaShape shape, Type type, FragmentRole role) {
    return mmaFragment(shape, type, role).registers;
  };
  EXPECT_EQ(registers(MmaShape::M16N8K16, Type::F16, FragmentRole::A), 4u);
  EXPECT_EQ(registers(MmaShape::M16N8K16, Type::F16, FragmentRole::B), 2u);
  EXPECT_EQ(registers(MmaShape::M16N8K16, Type::F32, FragmentRole::D), 4u);
  EXPECT_EQ(registers(MmaShape::M16N8K8, Type::F16, FragmentRole::C), 2u);
  EXPECT_EQ(registers(MmaShape::M16N8K4, Type::TF32, FragmentRole::A), 2u);
  EXPECT_EQ(registers(MmaShape::M8N8K4, Type::F16, FragmentRole::A), 2u);
  EXPECT_EQ(registers(MmaShape::M8N8K4, Type::F32, FragmentRole::C), 8u);
  EXPECT_EQ(registers(MmaShape::M8N8K4, Type::F64, FragmentRole::C), 2u);
  EXPECT_EQ(registers(MmaShape::M16N8K16, Type::F64, FragmentRole::A), 8u);
  EXPECT_EQ(registers(MmaShape::M16N8K64, Type::S4, FragmentRole::A), 4u);
  EXPECT_EQ(wmmaFragment(MmaShape::M16N16K16, Type::F16, FragmentRole::A).registers, 8u);
  EXPECT_EQ(wmmaFragment(MmaShape::M8N32K16, Type::BF16, FragmentRole::B).registers, 8u);
  EXPECT_EQ(wmmaFragment(MmaShape::M8N32K16, Type::BF16, FragmentRole::A).registers, 2u);
}
