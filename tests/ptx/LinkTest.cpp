// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Link.h"

#include "Helpers.h"
#include "ptx/Printer.h"

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;

namespace {

std::string head() { return ".version 8.5\n.target sm_90\n.address_size 64\n"; }

std::optional<Module> linked(const std::vector<std::string> &texts, Diagnostics &diagnostics) {
  std::vector<Module> modules;
  for (const std::string &text : texts)
    modules.push_back(parse(head() + text, "file" + std::to_string(modules.size()) + ".ptx", diagnostics));
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.all().front().text;
  if (!diagnostics.empty())
    return std::nullopt;
  return link(std::move(modules), "linked", diagnostics);
}

const char *kCaller =
    ".extern .global .align 4 .u32 x;\n"
    ".extern .func (.param .b32 r) f(.param .b32 a);\n"
    ".global .align 4 .u32 mine = 1;\n"
    ".visible .entry k() {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<3>;\n"
    "ld.global.u32 %r1, [x]; ld.global.u32 %r2, [mine];\n"
    "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f, (a); ld.param.b32 %r3, [r]; }\n"
    "ret; }\n";
const char *kCallee =
    ".global .align 4 .u32 mine = 2;\n"
    ".visible .global .align 4 .u32 x = 9;\n"
    ".visible .func (.param .b32 r) f(.param .b32 a) {\n"
    ".reg .b32 %r<4>; ld.param.b32 %r1, [a]; ld.global.u32 %r2, [mine]; add.u32 %r3, %r1, %r2;\n"
    "st.param.b32 [r], %r3; ret; }\n"
    ".visible .global .align 8 .u64 table[1] = {f};\n";

TEST(Link, DeclarationsBecomeTheDefinitionsOfOtherModules) {
  for (bool swapped : {false, true}) {
    Diagnostics diagnostics;
    std::optional<Module> module =
        swapped ? linked({kCallee, kCaller}, diagnostics) : linked({kCaller, kCallee}, diagnostics);
    ASSERT_TRUE(module);
    EXPECT_EQ(module->functions.size(), 2u);
    const uint32_t x = module->findVariable("x"), f = module->findFunction("f"),
                   k = module->findFunction("k");
    ASSERT_NE(x, kNone);
    EXPECT_EQ(module->variables[x].init, (std::vector<uint8_t>{9, 0, 0, 0}));
    ASSERT_NE(f, kNone);
    EXPECT_TRUE(module->functions[f].isDefined);
    const Function &kernel = module->functions[k];
    EXPECT_EQ(kernel.operandsOf(kernel.instrs[0])[1].index, x);
    for (const Instr &instr : kernel.instrs)
      if (instr.op == Op::Call)
        EXPECT_EQ(kernel.operandsOf(instr)[0].index, f);
    EXPECT_EQ(module->variables[module->findVariable("table")].relocs[0].symbol, f);
    // Parameters and registers belong to their functions still.
    for (const Function &function : module->functions)
      for (const Param &param : function.params)
        EXPECT_EQ(module->variables[param.variable].function, uint32_t(&function - module->functions.data()));
  }
}

TEST(Link, WhatIsLocalToAModuleStaysItsOwn) {
  Diagnostics diagnostics;
  std::optional<Module> module = linked({kCaller, kCallee}, diagnostics);
  ASSERT_TRUE(module);
  const Function &kernel = module->functions[module->findFunction("k")];
  const Function &callee = module->functions[module->findFunction("f")];
  EXPECT_EQ(module->variables[kernel.operandsOf(kernel.instrs[1])[1].index].init[0], 1);
  EXPECT_EQ(module->variables[callee.operandsOf(callee.instrs[1])[1].index].init[0], 2);
}

TEST(Link, OfWeakDefinitionsOneStays) {
  Diagnostics diagnostics;
  std::string weak = ".weak .func g() { trap; }\n", strong = ".visible .func g() { ret; }\n";
  std::string caller = ".weak .func g() { trap; }\n.visible .entry k() { call g; ret; }\n";
  std::optional<Module> module = linked({caller, weak, strong}, diagnostics);
  ASSERT_TRUE(module);
  ASSERT_EQ(module->functions.size(), 2u);
  const Function &g = module->functions[module->findFunction("g")];
  EXPECT_EQ(g.instrs[0].op, Op::Ret) << "the one that is not weak";
}

TEST(Link, TwoDefinitionsOfANameAreAnError) {
  Diagnostics diagnostics;
  EXPECT_FALSE(linked({".visible .func g() { ret; }\n", ".visible .func g() { trap; }\n"}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_NE(diagnostics.all().front().text.find("'g' is defined in two files"), std::string::npos);

  Diagnostics mixed;
  EXPECT_FALSE(linked({".visible .func g() { ret; }\n", ".visible .global .u32 g;\n"}, mixed));
  EXPECT_FALSE(mixed.empty());
}

TEST(Link, WhatIsDefinedNowhereStaysADeclaration) {
  Diagnostics diagnostics;
  std::optional<Module> module = linked({kCaller, ".extern .global .align 4 .u32 x;\n"}, diagnostics);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->variables[module->findVariable("x")].linkage, Linkage::Extern);
  EXPECT_FALSE(module->functions[module->findFunction("f")].isDefined);
}

TEST(Link, TheResultPrintsAsPtxThatParses) {
  Diagnostics diagnostics;
  std::optional<Module> module = linked({kCaller, kCallee}, diagnostics);
  ASSERT_TRUE(module);
  const std::string text = print(*module);
  Diagnostics problems;
  Module again = parse(text, "again.ptx", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(print(again), text);
}

} // namespace
