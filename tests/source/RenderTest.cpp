// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Render.h"

#include "source/ParsedText.h"
#include "source/ThreadIds.h"
#include "source/Unit.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;

namespace {

std::vector<Replacement> threadIdsReplacedBy(const Kernel &kernel, const std::string &text) {
  std::vector<Replacement> parts;
  for (clang::SourceRange range : heddle::testing::threadIdRanges(kernel))
    parts.push_back({range, text});
  return parts;
}

std::string bodyWith(const Program &program, const std::string &text) {
  const Kernel &kernel = *program.kernels().at(0);
  Rendered rendered =
      render(*kernel.unit, kernel.function->getBody()->getSourceRange(), threadIdsReplacedBy(kernel, text));
  if (auto *refused = std::get_if<Diagnostic>(&rendered))
    return "refused: " + refused->text;
  return std::get<std::string>(rendered);
}

std::string rendered(const std::string &text, const std::string &replacement = "tid") {
  auto program = parsed(text);
  return program ? bodyWith(*program, replacement) : "does not compile";
}

} // namespace

TEST(Render, KeepsCommentsAndLayoutAroundAReplacedPart) {
  EXPECT_EQ(rendered("__global__ void k(int *p) {\n  // why\n  p[ threadIdx.x ]   = 1; /* here */\n}\n"),
            "{\n  // why\n  p[ tid ]   = 1; /* here */\n}");
}

TEST(Render, AMacroThatIsExactlyThePartIsReplacedWhole) {
  EXPECT_EQ(rendered("#define TID threadIdx.x\n__global__ void k(int *p) { p[TID] = 1; }\n"),
            "{ p[tid] = 1; }");
}

TEST(Render, AnUntouchedMacroStays) {
  EXPECT_EQ(rendered("#define ONE (1 + 0)\n__global__ void k(int *p) { p[threadIdx.x] = ONE; }\n"),
            "{ p[tid] = ONE; }");
}

TEST(Render, AMacroArgumentUsedOnceIsReplacedInTheArgument) {
  EXPECT_EQ(rendered("#define AT(a, i) a[(i) + 1]\n__global__ void k(int *p) { AT(p, threadIdx.x) = 1; }\n"),
            "{ AT(p, tid) = 1; }");
}

TEST(Render, AMacroArgumentUsedTwiceMakesTheMacroExpand) {
  EXPECT_EQ(
      rendered("#define SQ(i) ((i) * (i))\n__global__ void k(int *p) { p[0] = SQ(threadIdx.x) + 1; }\n"),
      "{ p[0] = ((tid) * (tid)) + 1; }");
}

TEST(Render, APartInAMacrosBodyMakesTheMacroExpand) {
  EXPECT_EQ(rendered("#define GLOBAL_ID (blockIdx.x * 32 + threadIdx.x)\n"
                     "__global__ void k(int *p) { p[GLOBAL_ID] = 1; }\n"),
            "{ p[(blockIdx.x * 32 + tid)] = 1; }");
}

TEST(Render, ANestedMacroExpandsWithTheOneAroundIt) {
  EXPECT_EQ(rendered("#define T threadIdx.x\n#define IDX(n) (n * 32 + T)\n#define N 4\n"
                     "__global__ void k(int *p) { p[IDX(N)] = N; }\n"),
            "{ p[(4 * 32 + tid)] = N; }");
}

TEST(Render, AWholeStatementOutOfAMacroIsExpanded) {
  EXPECT_EQ(rendered("#define STORE do { p[threadIdx.x] = 1; } while (0)\n"
                     "__global__ void k(int *p) { STORE; }\n"),
            "{ do { p[tid] = 1; } while (0); }");
}

TEST(Render, DisabledBranchesOfThePreprocessorSurvive) {
  EXPECT_EQ(
      rendered(
          "__global__ void k(int *p) {\n#if 0\n  p[7] = threadIdx.x;\n#endif\n  p[0] = threadIdx.x;\n}\n"),
      "{\n#if 0\n  p[7] = threadIdx.x;\n#endif\n  p[0] = tid;\n}");
}

TEST(Render, TheInstantiationsPartsAreThePatternsText) {
  EXPECT_EQ(rendered("template <int N> __global__ void k(int *p) { p[threadIdx.x * N] = N; }\n"
                     "void h(int *p) { k<4><<<1, 1>>>(p); }\n"),
            "{ p[tid * N] = N; }");
}

TEST(Edits, AFileEditedNowhereYieldsNothing) { EXPECT_TRUE(Edits().empty()); }

TEST(Edits, ReplacesAndInsertsAtOnce) {
  std::string text = "__global__ void k(int *p) {\n  p[threadIdx.x] = 1;  // set\n}\n";
  auto program = parsed(text);
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels().at(0);
  const auto *body = llvm::cast<clang::CompoundStmt>(kernel.function->getBody());
  Edits edits;
  edits.insertAfter(*kernel.unit, body->getLBracLoc(), "\n  int t = threadIdx.x;");
  edits.insertBefore(*kernel.unit, body->getRBracLoc(), "done();\n");
  for (const Replacement &part : threadIdsReplacedBy(kernel, "t"))
    edits.replace(*kernel.unit, part.part, part.text);
  auto result = edits.apply();
  auto *files = std::get_if<0>(&result);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->begin()->second,
            "__global__ void k(int *p) {\n  int t = threadIdx.x;\n  p[t] = 1;  // set\ndone();\n}\n");
}

TEST(Edits, OverlappingChangesAreRefused) {
  auto program = parsed("__global__ void k(int *p) { p[threadIdx.x] = 1; }\n");
  ASSERT_TRUE(program);
  const Kernel &kernel = *program->kernels().at(0);
  Edits edits;
  edits.replace(*kernel.unit, kernel.function->getBody()->getSourceRange(), "{}");
  for (const Replacement &part : threadIdsReplacedBy(kernel, "t"))
    edits.replace(*kernel.unit, part.part, part.text);
  auto result = edits.apply();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_EQ(std::get<Diagnostic>(result).text, "two changes overlap here");
}
