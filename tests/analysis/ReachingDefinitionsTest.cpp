// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AnalysedText.h"

using namespace heddle;
using heddle::source::Definition;
using heddle::source::ReachingDefinitions;
using heddle::testing::AnalysedText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

const AnalysedText &definitionsText() {
  static const AnalysedText parsed(R"(
struct Pair { int a, b; };
__device__ void fill(int &x);
__device__ void look(const int &x);
__device__ void fillAt(int *x);
__device__ void lookAt(const int *x);

__device__ void straight(int p) { int x = 1; x = 2; int r = x; int q = p; }
__device__ void branches(int p) { int x = 1; if (p) x = 2; int r = x; }
__device__ void bothSides(int p) { int x; if (p) x = 2; else x = 3; int r = x; }
__device__ void loop(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; int r = s; }
__device__ void shortCircuit(int p) { int x = 1; (void)(p && (x = 2)); int r = x; }
__device__ void select(int p) { int x = 1; p ? (x = 2) : (x = 3); int r = x; }
__device__ void doWhile(int n) { int x = 1; do { x = 2; } while (--n); int r = x; }
__device__ void breaks(int n) { int x = 1; while (n) { if (n == 3) { x = 2; break; } x = 5; --n; } int r = x; }
__device__ void switches(int n) { int x = 1; switch (n) { case 0: x = 2; case 1: x = 3; break; default: x = 4; } int r = x; }
__device__ void gotos(int n) { int x = 1; again: x = x + 1; if (n--) goto again; int r = x; }
__device__ void array(int i) { int a[4] = {0}; a[i] = 7; int r = a[2]; }
__device__ void arrayDecays(int i) { int a[4] = {0}; fillAt(a); int r = a[2]; }
__device__ void fields(int p) { Pair v = {1, 2}; v.a = 3; int r = v.a; int q = v.b; Pair w = v; }
__device__ void wholeStruct(int p) { Pair v = {1, 2}; v.a = 3; v = Pair{4, 5}; int r = v.a; }
__device__ void byReference() { int x = 1; fill(x); int r = x; }
__device__ void byConstReference() { int x = 1; look(x); int r = x; }
__device__ void byPointer() { int x = 1; fillAt(&x); int r = x; }
__device__ void byConstPointer() { int x = 1; lookAt(&x); int r = x; }
__device__ void escapes() { int x = 1; int *p = &x; *p = 2; int r = x; }
__device__ void boundByReference() { int x = 1; int &y = x; y = 2; int r = x; }
__device__ void readByReference() { int x = 1; const int &y = x; int r = x + y; }
__device__ void lambdaWrites() { int x = 1; auto f = [&] { x = 2; }; f(); int r = x; }
__device__ void lambdaReads() { int x = 1; auto f = [&] { return x; }; int r = x + f(); }
__device__ void lambdaCopies() { int x = 1; auto f = [=]() mutable { x = 2; return x; }; int r = x + f(); }
struct Grid { int d[4]; __device__ int &operator[](int i) { return d[i]; } __device__ int *data() { return d; }
  __device__ int sum() { return d[0] + d[1]; } __device__ Grid &add(int i) { d[0] += i; return *this; } };
__device__ int *given(int *p) { return p + 1; }
__device__ int &picked(int &a, int &b, bool first) { return first ? a : b; }
__device__ void keep(int **slot, int *p) { *slot = p; }
__device__ void keepDeeper(int **slot, int *p) { if (p) keep(slot, p); }
__device__ void raised(int *p, int &q) { p[0] += 1; *p++ = 2; ++p; q = p[1]; fillAt(p); fill(q); }
__device__ void storedByCall() { int x = 1, *q; keep(&q, &x); x = 7; *q = 2; int r = x; }
__device__ void storedByCallOfCall() { int x = 1, *q; keepDeeper(&q, &x); x = 7; *q = 2; int r = x; }
__device__ void returnedByCall() { int x = 1; int *q = given(&x); x = 7; *q = 2; int r = x; }
__device__ void referenceReturned() { int x = 1, y = 2; int &q = picked(x, y, true); x = 7; q = 2; int r = x; }
__device__ void partOfObject() { Grid g; int &first = g[0]; g.d[0] = 7; first = 2; int r = g.d[0]; }
__device__ void pointerOfObject() { Grid g; int *first = g.data(); g.d[0] = 7; *first = 2; int r = g.d[0]; }
__device__ void elementOfObject() { Grid g; g[0] = 3; g.add(1).add(2); int r = g[0] + g.sum(); }
__device__ void onlyWrittenThrough() { int x = 1, y = 2; raised(&x, y); int r = x; }
__device__ void libraryCall(float v) { float s, c; sincosf(v, &s, &c); int n; memcpy(&n, &v, 4); float r = s + c + n; }
__device__ void assembly() { int x = 1; asm("mov.u32 %0, %%laneid;" : "=r"(x)); int r = x; }
__device__ void dead() { int x = 1; return; int r = x; }
template <int N> __device__ void chosen() { int x = 1; if (N > 4) x = 2; int r = x; }
template __device__ void chosen<2>();
__device__ void several() { int x = 1, y = x, z = y; int r = z; }
__device__ void conditionVariable(int n) { if (int x = n) { int r = x; } }
__device__ void references(int p) { int a = 1, b = 2; (p ? a : b) = 3; int r = a; }
__device__ void shared() { __shared__ int s; s = 1; int r = s; }
__device__ void binding() { Pair v = {1, 2}; auto [f, g] = v; int r = f; }
__device__ void cast(int p) { float4 v = make_float4(0, 0, 0, 0); v.x = p; float r = v.x; float q = v.y; }
int hostSide(int n) { dim3 block(16, 16); dim3 grid(n); grid.y = 3; dim3 r = block; dim3 q = grid; return 0; }
)");
  return parsed;
}

std::string spelled(const Definition *definition) {
  static const char *const kinds[] = {"entry", "declared", "none", "assigned", "compound", "++", "opaque"};
  std::string result = kinds[unsigned(definition->kind)];
  clang::Expr::EvalResult value;
  if (definition->value && !definition->value->isValueDependent() &&
      definition->value->getType()->isIntegerType() &&
      definition->value->EvaluateAsInt(value, definitionsText().program->device().context()))
    result += " " + std::to_string(value.Val.getInt().getExtValue());
  return result + (definition->mayKeepOld ? " or before" : "");
}

std::vector<std::string> reaching(const std::string &function, const std::string &inside,
                                  const std::string &name) {
  const clang::FunctionDecl *f = definitionsText().function(function);
  auto facts = ReachingDefinitions::of(f);
  std::vector<std::string> result;
  for (const Definition *definition : facts->reaching(AnalysedText::useIn(f, inside, name)))
    result.push_back(spelled(definition));
  return result;
}

bool escapes(const std::string &function, const std::string &name) {
  const clang::FunctionDecl *f = definitionsText().function(function);
  return ReachingDefinitions::of(f)->addressEscapes(AnalysedText::variable(f, name));
}

TEST(ReachingDefinitions, InStraightCodeTheLastDefinitionCounts) {
  EXPECT_THAT(reaching("straight", "r", "x"), ElementsAre("assigned 2"));
  EXPECT_THAT(reaching("straight", "q", "p"), ElementsAre("entry"));
  EXPECT_THAT(reaching("several", "r", "z"), ElementsAre("declared"));
  EXPECT_THAT(reaching("conditionVariable", "r", "x"), ElementsAre("declared"));
  EXPECT_THAT(reaching("binding", "r", "f"), ElementsAre("declared"));
  EXPECT_THAT(reaching("dead", "r", "x"), IsEmpty());
}
TEST(ReachingDefinitions, DefinitionsFollowTheControlFlow) {
  EXPECT_THAT(reaching("branches", "r", "x"), ElementsAre("declared 1", "assigned 2"));
  EXPECT_THAT(reaching("bothSides", "r", "x"), ElementsAre("assigned 2", "assigned 3"));
  EXPECT_THAT(reaching("loop", "r", "s"), ElementsAre("declared 0", "compound"));
  EXPECT_THAT(reaching("shortCircuit", "r", "x"), ElementsAre("declared 1", "assigned 2"));
  EXPECT_THAT(reaching("select", "r", "x"), ElementsAre("assigned 2", "assigned 3"));
  EXPECT_THAT(reaching("doWhile", "r", "x"), ElementsAre("assigned 2"));
  EXPECT_THAT(reaching("breaks", "r", "x"), ElementsAre("declared 1", "assigned 2", "assigned 5"));
  EXPECT_THAT(reaching("switches", "r", "x"), ::testing::UnorderedElementsAre("assigned 3", "assigned 4"));
  EXPECT_THAT(reaching("gotos", "r", "x"), ElementsAre("assigned"));
}
TEST(ReachingDefinitions, FieldsAreFollowedOneByOneAndArraysAsAWhole) {
  EXPECT_THAT(reaching("array", "r", "a"), ElementsAre("declared", "assigned 7 or before"));
  EXPECT_THAT(reaching("arrayDecays", "r", "a"), ElementsAre("declared", "opaque or before"));
  EXPECT_FALSE(escapes("arrayDecays", "a"));
  EXPECT_THAT(reaching("fields", "r", "v"), ElementsAre("assigned 3"));
  EXPECT_THAT(reaching("fields", "q", "v"), ElementsAre("declared"));
  EXPECT_THAT(reaching("fields", "w", "v"), ElementsAre("declared", "assigned 3"));
  EXPECT_THAT(reaching("wholeStruct", "r", "v"), ElementsAre("assigned"));
  EXPECT_THAT(reaching("cast", "r", "v"), ElementsAre("assigned"));
  EXPECT_THAT(reaching("cast", "q", "v"), ElementsAre("declared"));
}
TEST(ReachingDefinitions, CallsAndAssemblyMayWriteWhatTheyAreHanded) {
  EXPECT_THAT(reaching("byReference", "r", "x"), ElementsAre("declared 1", "opaque or before"));
  EXPECT_THAT(reaching("byPointer", "r", "x"), ElementsAre("declared 1", "opaque or before"));
  EXPECT_FALSE(escapes("byPointer", "x"));
  EXPECT_THAT(reaching("byConstReference", "r", "x"), ElementsAre("declared 1"));
  EXPECT_THAT(reaching("byConstPointer", "r", "x"), ElementsAre("declared 1"));
  EXPECT_THAT(reaching("assembly", "r", "x"), ElementsAre("declared 1", "opaque or before"));
}
TEST(ReachingDefinitions, OnlyAnAddressThatMayBeWrittenThroughEscapes) {
  EXPECT_TRUE(escapes("escapes", "x"));
  EXPECT_TRUE(escapes("boundByReference", "x"));
  EXPECT_TRUE(escapes("references", "a"));
  EXPECT_FALSE(escapes("readByReference", "x"));
  EXPECT_TRUE(escapes("lambdaWrites", "x"));
  EXPECT_FALSE(escapes("lambdaReads", "x"));
  EXPECT_FALSE(escapes("lambdaCopies", "x"));
}
/// What a call is handed may be written through after it has returned.
TEST(ReachingDefinitions, AnAddressThatACallStoresOrReturnsEscapes) {
  EXPECT_TRUE(escapes("storedByCall", "x"));
  EXPECT_TRUE(escapes("storedByCallOfCall", "x"));
  EXPECT_TRUE(escapes("returnedByCall", "x"));
  EXPECT_TRUE(escapes("referenceReturned", "x"));
  EXPECT_TRUE(escapes("partOfObject", "g"));
  EXPECT_TRUE(escapes("pointerOfObject", "g"));
  EXPECT_FALSE(escapes("elementOfObject", "g"));
  EXPECT_FALSE(escapes("onlyWrittenThrough", "x"));
  EXPECT_FALSE(escapes("onlyWrittenThrough", "y"));
  EXPECT_FALSE(escapes("libraryCall", "s"));
  EXPECT_FALSE(escapes("libraryCall", "n"));
}
TEST(ReachingDefinitions, SharedVariablesAreNotFollowed) {
  const clang::FunctionDecl *f = definitionsText().function("shared");
  EXPECT_FALSE(ReachingDefinitions::of(f)->isTracked(AnalysedText::variable(f, "s")));
}
TEST(ReachingDefinitions, ALaunchShapeWithOneDefinitionIsFound) {
  const clang::FunctionDecl *f = definitionsText().function("hostSide");
  auto facts = ReachingDefinitions::of(f);
  EXPECT_TRUE(facts->isNeverReassigned(AnalysedText::variable(f, "block")));
  EXPECT_FALSE(facts->isNeverReassigned(AnalysedText::variable(f, "grid")));
  EXPECT_NE(facts->onlyReaching(AnalysedText::useIn(f, "r", "block")), nullptr);
  EXPECT_EQ(facts->onlyReaching(AnalysedText::useIn(f, "q", "grid")), nullptr);
}
TEST(ReachingDefinitions, ABranchATemplateArgumentSwitchesOffDefinesNothing) {
  for (const clang::Decl *d : definitionsText().program->device().context().getTranslationUnitDecl()->decls())
    if (auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(d);
        pattern && pattern->getNameAsString() == "chosen")
      for (const clang::FunctionDecl *f : pattern->specializations()) {
        auto facts = ReachingDefinitions::of(f);
        EXPECT_EQ(facts->reaching(AnalysedText::useIn(f, "r", "x")).size(), 1u);
      }
}
TEST(ReachingDefinitions, ASumOfManyTermsAndManyBranchesIsNoTrouble) {
  std::string text = "__global__ void big(int *o, int n) { int s = 0, t = 1;\n";
  for (int i = 0; i < 3000; ++i)
    text += fmt::format("if (n > {0}) s += {0}; t = s ^ {0};\n", i);
  text += "int r = s";
  for (int i = 0; i < 6000; ++i)
    text += " + t";
  text += "; *o = r; }\n";
  AnalysedText big(text);
  const clang::FunctionDecl *f = big.kernel("big").function;
  auto facts = ReachingDefinitions::of(f);
  EXPECT_EQ(facts->reaching(AnalysedText::useIn(f, "r", "s")).size(), 3001u);
}

} // namespace
