// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Helpers.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;
using testing::HasSubstr;

namespace {

std::string errorsIn(const std::string &statements) { return errorsOf(kernel(statements)); }

} // namespace

TEST(BadInput, TextThatIsNotPtxSaysSo) {
  EXPECT_EQ(errorsOf(""), "test.ptx:1:1: error: no .version line: this is not PTX\n");
  EXPECT_THAT(errorsOf("\x7f"
                       "ELF\x02\x01"),
              HasSubstr("test.ptx:1:1: error: '?': unexpected character"));
}

TEST(BadInput, AnErrorShowsLocationLineAndWhatWasWanted) {
  std::string text = header() + ".entry k() {\n  .reg .b32 %r<4>;\n  add.s32 %r1, %r2, %x3;\n}\n";
  EXPECT_EQ(errorsOf(text), "test.ptx:6:21: error: '%x3' is not declared\n"
                            "    6 |   add.s32 %r1, %r2, %x3;\n"
                            "      |                     ^~~\n");
}

TEST(BadInput, AllErrorsOfAFileAreGiven) {
  std::string errors =
      errorsIn("add.s32 %r1, %r2;\n mov.b32 %nope, 1;\n bra Nowhere;\n ld.global.b32 %r1, %r2;");
  EXPECT_THAT(errors, HasSubstr("the 2 operands do not fit 'add', which takes \"=T T T\""));
  EXPECT_THAT(errors, HasSubstr("'%nope' is not declared"));
  EXPECT_THAT(errors, HasSubstr("label 'Nowhere' is not in function 'k'"));
  EXPECT_THAT(errors, HasSubstr("the 2 operands do not fit 'ld'"));
}

TEST(BadInput, ManyErrorsStopTheReading) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "mov.b32 %nope, 1;\n";
  Diagnostics diagnostics;
  parse(kernel(text), "test.ptx", diagnostics);
  EXPECT_EQ(diagnostics.all().size(), kMaxErrors + 1);
  EXPECT_THAT(diagnostics.all().back().text, HasSubstr("the rest of the file is not read"));
}

TEST(BadInput, RegistersMustHaveTheWidthOfTheType) {
  EXPECT_THAT(errorsIn("add.s32 %r1, %d2, %r3;"),
              HasSubstr("register '%d2' is of type .b64, but .s32 is wanted here"));
  EXPECT_THAT(errorsIn("mul.wide.s32 %r1, %r2, %r3;"), HasSubstr("but .b64 is wanted here"));
  EXPECT_THAT(errorsIn("ld.global.u64 %r1, [%d1];"), HasSubstr("but .u64 is wanted here"));
  EXPECT_THAT(errorsIn("selp.b32 %r1, %r2, %r3, %r4;"), HasSubstr("but .pred is wanted here"));
  EXPECT_THAT(errorsIn("ld.global.u32 %r1, [%h1];"), HasSubstr("a 32- or 64-bit register as address"));
  EXPECT_THAT(errorsIn("ld.global.u8 %p1, [%d1];"), HasSubstr("but .u8 is wanted here"));
  EXPECT_THAT(errorsIn("@%r1 ret;"), HasSubstr("'%r1' is not a predicate register"));
}

TEST(BadInput, VectorsMustHaveTheRightLength) {
  EXPECT_THAT(errorsIn("ld.global.v4.b32 {%r1, %r2}, [%d1];"),
              HasSubstr("wanted a vector of 4 elements, found 2"));
  EXPECT_THAT(errorsIn("st.global.v2.b32 [%d1], %r1;"), HasSubstr("wanted a vector of 2 elements in braces"));
  EXPECT_THAT(errorsIn("mov.b64 %d1, {%r1, %r2, %r3};"), HasSubstr("3 elements do not make up type .b64"));
  EXPECT_THAT(errorsIn("mov.b64 {%r1, %r2}, {%r3, %r4};"), HasSubstr("a single value to take apart"));
  EXPECT_THAT(errorsIn("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
                       "{%r9, %r10}, {%r1, %r2, %r3, %r4};"),
              HasSubstr("matrix A wants 4 registers, found 2"));
  EXPECT_THAT(errorsIn("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r5];"),
              HasSubstr("wants 4 registers"));
}

TEST(BadInput, DestinationsMustBeWritable) {
  EXPECT_THAT(errorsIn("add.s32 5, %r1, %r2;"), HasSubstr("wanted a register to write, found '5'"));
  EXPECT_THAT(errorsIn("add.s32 _, %r1, %r2;"), HasSubstr("an operand that is not '_'"));
  EXPECT_THAT(errorsIn("mov.u32 %tid.x, %r1;"), HasSubstr("wanted a register to write, found '%tid.x'"));
}

TEST(BadInput, ConstantsMustFitTheirType) {
  EXPECT_THAT(errorsIn("add.f32 %r1, %r2, 1;"), HasSubstr("wanted a constant of type .f32, found '1'"));
  EXPECT_THAT(errorsIn("add.s32 %r1, %r2, 0d3FF0000000000000;"), HasSubstr("a constant of type .s32"));
  EXPECT_THAT(errorsIn("mov.b64 %d1, 99999999999999999999;"), HasSubstr("number does not fit into 64 bits"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, 0f3F80;"), HasSubstr("0f needs 8 hexadecimal digits"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, 0xZZ;"), HasSubstr("not a number"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, 1 / (2 - 2);"), HasSubstr("division by zero in a constant expression"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, 1.5 + 2;"), HasSubstr("a constant expression is made of integers"));
  EXPECT_THAT(errorsIn("cp.async.wait_group %r1;"), HasSubstr("wanted an integer constant, found '%r1'"));
}

TEST(BadInput, NestingIsBounded) {
  std::string deep(100000, '(');
  EXPECT_THAT(errorsIn("mov.b32 %r1, " + deep + "1;"), HasSubstr("constant expression is nested too deeply"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, " + std::string(100000, '-') + "1;"), HasSubstr("nested too deeply"));
  EXPECT_THAT(errorsIn(std::string(100000, '{')), HasSubstr("braces are nested more than 256 deep"));
  EXPECT_THAT(errorsOf(header() + ".global .b32 x[1] = " + std::string(100000, '{')),
              HasSubstr("initializer is nested too deeply"));
  EXPECT_THAT(errorsIn("mov.b32 %r1, " +
                       [] {
                         std::string s;
                         for (int i = 0; i < 1000; ++i)
                           s += "1 ? ";
                         return s;
                       }() +
                       "1;"),
              HasSubstr("nested too deeply"));
}

TEST(BadInput, HugeCountsAreRefused) {
  EXPECT_THAT(errorsIn(".reg .b32 %big<4000000000>;"),
              HasSubstr("'%big<4000000000>' declares too many registers, at most 16777216 are read"));
  EXPECT_THAT(errorsOf(header() + ".global .b64 x[99999999999999];"), HasSubstr("array 'x' is too large"));
  EXPECT_THAT(errorsOf(header() + ".global .b8 x[4294967296][4294967296][16];"),
              HasSubstr("array 'x' is too large"));
  EXPECT_THAT(errorsOf(header() + ".global .b8 x[100][1000000000] = {{1}, {2}};"),
              HasSubstr("leaves more than 67108864 bytes out"));
  EXPECT_THAT(errorsOf(header() + ".global .align 3 .b8 x;"), HasSubstr("alignment 3 is not a power of two"));
}

TEST(BadInput, DeclarationsMustNotClash) {
  EXPECT_THAT(errorsIn(".reg .b32 a; .reg .b64 a;"), HasSubstr("'a' is declared twice in this scope"));
  EXPECT_THAT(errorsIn(".reg .b32 %r<3>;"), HasSubstr("'%r<...>' is declared twice in this scope"));
  EXPECT_THAT(errorsIn("L: L: mov.b32 %r1, 1;"), HasSubstr("label 'L' appears twice in one scope"));
  EXPECT_THAT(errorsOf(header() + ".global .b32 x; .global .b32 x;"), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(errorsOf(header() + ".func f { ret; } .func f { ret; }"), HasSubstr("'f' is defined twice"));
}

TEST(BadInput, InitializersMustFit) {
  EXPECT_THAT(errorsOf(header() + ".global .b32 x[2] = {1, 2, 3};"), HasSubstr("is longer than its 8 bytes"));
  EXPECT_THAT(errorsOf(header() + ".global .u64 x = nothing;"),
              HasSubstr("'nothing' is not a variable or function declared before"));
  EXPECT_THAT(errorsOf(header() + ".global .b8 y; .global .b8 x[1] = {0x1f(y)};"),
              HasSubstr("does not choose one byte of an address"));
}

TEST(BadInput, ConversionsToPairsReadAValueForEachHalf) {
  EXPECT_THAT(errorsIn("cvt.rn.f16x2.f32 %r1, %f2;"),
              HasSubstr("'cvt' to '.f16x2' from '.f32' takes 3 operands, found 2"));
  EXPECT_THAT(errorsIn("cvt.rs.f16x2.f32 %r1, %f2;"), HasSubstr("takes 4 operands, found 2"));
  EXPECT_THAT(errorsIn("cvt.rs.f16x2.f32 %r1, %f2, %f3;"), HasSubstr("takes 4 operands, found 3"));
  EXPECT_THAT(errorsIn("cvt.rn.f32.f64 %f1, %d2, %d3;"), HasSubstr("takes 2 operands, found 3"));
}

TEST(BadInput, CallsMustFitTheCallee) {
  EXPECT_THAT(errorsIn("call nobody;"), HasSubstr("wanted a declared function to call, found 'nobody'"));
  EXPECT_THAT(errorsIn("call gives, (pcall);"),
              HasSubstr("'gives' takes 1 parameter and gives 1 result, the call has 1 and 0"));
  EXPECT_THAT(errorsIn("call (pout), gives, (gv);"), HasSubstr("'gv' is not a .param variable"));
  EXPECT_THAT(errorsIn("call (pout), %d1, (pcall);"),
              HasSubstr("a call through a register needs a prototype"));
  EXPECT_THAT(errorsIn("call (pout), %d1, (pcall), Here;"),
              HasSubstr("wanted a call prototype, but 'Here' is a label"));
  EXPECT_THAT(errorsIn("brx.idx %r1, Here;"),
              HasSubstr("wanted a .branchtargets list, but 'Here' is a label"));
}

TEST(BadInput, TextThatEndsTooEarlySaysWhere) {
  EXPECT_THAT(errorsOf(header() + ".entry k() {"), HasSubstr("wanted '}' at the end of function 'k'"));
  EXPECT_THAT(errorsOf(header() + ".entry k() { .reg .b32 %r<2>; mov.b32 %r1, 1"),
              HasSubstr("wanted ';' after an instruction"));
  EXPECT_THAT(errorsOf(header() + ".section .debug_info { .b8 1"), HasSubstr("section is not closed"));
  EXPECT_THAT(errorsOf(header() + ".file 1 \"abc"), HasSubstr("string is not closed on its line"));
}

TEST(BadInput, EveryPrefixOfAFileIsReadWithoutHarm) {
  std::string text = readFile(dataPath("everything.ptx"));
  for (size_t length = 0; length < text.size(); ++length) {
    Diagnostics diagnostics;
    parse(std::string_view(text).substr(0, length), "prefix.ptx", diagnostics);
  }
}

TEST(BadInput, NulBytesAreUnexpectedCharacters) {
  std::string text = kernel("mov.b32 %r1, 1;");
  text[text.find("mov.b32") + 3] = '\0';
  EXPECT_THAT(errorsOf(text), HasSubstr("unexpected character"));
}
