// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/KernelTree.h"

#include "AnalysedText.h"
#include "analysis/KernelView.h"

#include <clang/AST/Decl.h>

using namespace heddle;
using namespace heddle::analysis;
using heddle::testing::AnalysedText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Kind = KernelNode::Kind;

namespace {

const AnalysedText &text() {
  static const AnalysedText parsed(R"(
__shared__ float s[256];
__device__ void put(float *a, float x) { a[threadIdx.x] = x; }
__device__ void wait() { __syncthreads(); }
__global__ void all(float *a, int n) {
  int i = threadIdx.x;
  #pragma unroll
  for (int k = 0; k < n; ++k) {
    if (k > 3) { a[i] = 1; __syncthreads(); } else a[k] = 2;
    switch (k) { case 0: a[0] = 3; break; default: ; }
    while (n > 7) { --n; continue; }
  }
  return;
}
__global__ void facts(float *a, float *b, int n) {
  float sum = 0;
  for (int k = n; k > 0; --k) { sum += a[k]; b[k] = sum; }
  put(a, sum);
  asm volatile("nop;");
  if (float x = a[n]) b[0] = x;
}
__global__ void barriers(float *a, int n) {
  wait();
  if (__syncthreads_or(n)) a[0] = 1;
  int c = __syncthreads_count(n);
  for (int k = (wait(), 0); k < c; ++k) a[k] = 2;
}
struct Plain { float x; __device__ Plain(float y) : x(y) {} };
struct Counts { float *at; __device__ Counts(float *a) : at(a) { a[0] += 1; } __device__ ~Counts() { at[1] = 2; } };
struct Base { __device__ virtual float f(); };
__global__ void implicit(float *a, Base *b) { Plain p(a[0]); Counts c(a); a[2] = p.x; a[3] = b->f(); }
__global__ void range(float *a) { int v[3] = {1, 2, 3}; for (int x : v) a[x] = x; }
)");
  return parsed;
}

struct Analysed {
  explicit Analysed(const std::string &name)
      : kernel(text().kernel(name)), uniformity(Uniformity::of(kernel)),
        regions(BarrierRegions::of(*uniformity, diagnostics)), accesses(Accesses::of(kernel)),
        tree(*uniformity, *regions, accesses.get()) {}

  const KernelNode &first(Kind kind) const {
    for (const KernelNode *node : tree.nodes())
      if (node->kind == kind)
        return *node;
    throw std::runtime_error("no such node");
  }
  const source::Kernel &kernel;
  Diagnostics diagnostics;
  std::unique_ptr<Uniformity> uniformity;
  std::unique_ptr<BarrierRegions> regions;
  std::unique_ptr<Accesses> accesses;
  KernelTree tree;
};

std::string shown(const KernelNode &node) {
  static const char *const names[] = {"B", "L", "I", "W", "C", "label", "sync", "J", "S"};
  std::string inside;
  for (const auto &child : node.children)
    inside += (inside.empty() ? "" : " ") + shown(*child);
  return names[int(node.kind)] + (inside.empty() ? "" : "(" + inside + ")");
}

std::vector<std::string> namesOf(const VariableSet &variables) {
  std::vector<std::string> names;
  for (const clang::VarDecl *variable : variables)
    names.push_back(variable->getNameAsString());
  return names;
}

std::vector<std::string> textsOf(const CodeFacts &facts) {
  std::vector<std::string> texts;
  for (const Access *access : facts.accesses)
    texts.push_back(std::string(nameOf(access->kind)) + " " + access->text);
  return texts;
}

TEST(KernelTree, HoldsEveryStatementDownToExpressions) {
  Analysed k("all");
  EXPECT_EQ(shown(k.tree.root()), "B(S L(B(I(B(S sync) S) W(B(C(S) J C(S))) L(B(S J)))) J)");
  for (unsigned i = 0; i < k.tree.nodes().size(); ++i)
    EXPECT_EQ(k.tree.nodes()[i]->id, i);
}

TEST(KernelTree, AttributesAreLeftOutOfTheStatementAndKeptInWhatIsWritten) {
  Analysed k("all");
  const KernelNode &loop = k.first(Kind::Loop);
  EXPECT_TRUE(llvm::isa<clang::ForStmt>(loop.statement));
  EXPECT_TRUE(llvm::isa<clang::AttributedStmt>(loop.written));
  EXPECT_EQ(k.tree.nodeOf(loop.written), &loop);
}

TEST(KernelTree, OwnFactsOfALoopAreThoseOfItsHead) {
  Analysed k("facts");
  const KernelNode &loop = k.first(Kind::Loop);
  EXPECT_THAT(namesOf(k.tree.own(loop).reads), UnorderedElementsAre("n", "k"));
  EXPECT_THAT(namesOf(k.tree.own(loop).writes), ElementsAre("k"));
  EXPECT_THAT(textsOf(k.tree.own(loop)), IsEmpty());
  EXPECT_THAT(namesOf(k.tree.whole(loop).reads), UnorderedElementsAre("a", "b", "n", "k", "sum"));
  EXPECT_THAT(namesOf(k.tree.whole(loop).writes), UnorderedElementsAre("k", "sum"));
  EXPECT_THAT(textsOf(k.tree.whole(loop)), ElementsAre("read a[k]", "write b[k]"));
}

TEST(KernelTree, AccessesOfAHeadAndOfACalledFunctionBelongToTheirStatement) {
  Analysed k("facts");
  EXPECT_THAT(textsOf(k.tree.own(k.first(Kind::Branch))), ElementsAre("read a[n]"));
  const KernelNode &call = *k.tree.root().children[2];
  EXPECT_THAT(textsOf(k.tree.own(call)), ElementsAre("write a[threadIdx.x]"));
  EXPECT_TRUE(k.tree.own(call).asksThread);
  EXPECT_FALSE(k.tree.own(call).unseen);
  EXPECT_TRUE(k.tree.own(*k.tree.root().children[3]).unseen) << "assembly";
}

TEST(KernelTree, ImplicitCallsThatReachMemoryAreUnseen) {
  Analysed k("implicit");
  const auto &statements = k.tree.root().children;
  EXPECT_FALSE(k.tree.own(*statements[0]).unseen) << "a constructor that only computes";
  EXPECT_TRUE(k.tree.own(*statements[1]).unseen) << "a constructor that stores";
  EXPECT_FALSE(k.tree.own(*statements[2]).unseen);
  EXPECT_TRUE(k.tree.own(*statements[3]).unseen) << "a virtual call";
}

TEST(KernelTree, BarriersAreInTheNodesThatEvaluateThem) {
  Analysed k("barriers");
  const auto &statements = k.tree.root().children;
  ASSERT_EQ(statements[0]->barriers.size(), 1u);
  EXPECT_TRUE(statements[0]->barriers[0].call);
  EXPECT_FALSE(statements[0]->barriers[0].isPartOfStatement);
  ASSERT_EQ(statements[1]->barriers.size(), 1u) << "in the condition";
  EXPECT_EQ(statements[1]->barriers[0].statement, statements[1]->statement);
  EXPECT_TRUE(statements[1]->barriers[0].isPartOfStatement);
  EXPECT_FALSE(statements[1]->children[0]->holdsBarrier);
  EXPECT_TRUE(statements[2]->barriers[0].isPartOfStatement);
  ASSERT_EQ(statements[3]->barriers.size(), 1u);
  EXPECT_NE(statements[3]->barriers[0].statement, statements[3]->statement) << "a head's beginning";
  EXPECT_TRUE(k.tree.root().holdsBarrier);
}

TEST(KernelTree, ARangeBasedLoopHasABodyAndAHead) {
  Analysed k("range");
  const KernelNode &loop = k.first(Kind::Loop);
  ASSERT_EQ(loop.children.size(), 1u);
  EXPECT_THAT(namesOf(k.tree.own(loop).writes), ::testing::Contains("x"));
}

TEST(KernelView, ALeafCountsWithEverythingInsideAndHidesIt) {
  Analysed k("facts");
  const KernelView view(k.tree, [](const KernelNode &node) { return node.kind == Kind::Loop; });
  const KernelNode &loop = k.first(Kind::Loop);
  EXPECT_TRUE(view.isLeaf(loop));
  EXPECT_THAT(view.all(loop), ElementsAre(&loop));
  EXPECT_EQ(view.nodeOf(loop.children[0]->statement), nullptr);
  EXPECT_EQ(&view.facts(loop), &k.tree.whole(loop));
  EXPECT_EQ(&view.facts(k.first(Kind::Branch)), &k.tree.own(k.first(Kind::Branch)));
  const clang::VarDecl *sum = AnalysedText::variable(k.kernel.function, "sum");
  EXPECT_THAT(view.writersOf(sum), ElementsAre(k.tree.root().children[0].get(), &loop));
}

} // namespace
