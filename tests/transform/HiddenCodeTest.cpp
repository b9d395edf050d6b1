// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that a kernel executes although no written call leads to it: directives that renumber threads refuse
// where it reads an index or waits at a barrier, with the true reason, and leave other such code alone.
#include "transform/HiddenCode.h"

#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

/// One way to execute code without a written call.
struct Hidden {
  const char *name;
  const char *declarations;
  const char *body;   ///< of the kernel: `int v` is what it computes
  const char *reason; ///< what the refusal must name
};

const Hidden readsIndex[] = {
    {"Constructor", "struct S { int v; __device__ S() { v = threadIdx.x; } };", "S s; int v = s.v;",
     "the constructor of 'S' reads 'threadIdx.x'"},
    {"MemberInitializer", "struct S { int v; __device__ S() : v(threadIdx.x) {} };", "S s; int v = s.v;",
     "the constructor of 'S' reads 'threadIdx.x'"},
    {"DefaultMemberInitializer", "struct S { int v = threadIdx.x; };", "S s; int v = s.v;",
     "the default initializer of 'S::v' reads 'threadIdx.x'"},
    {"DefaultMemberInitializerOfAggregate", "struct S { int a; int v = threadIdx.x; };",
     "S s{n}; int v = s.v;", "the default initializer of 'S::v' reads 'threadIdx.x'"},
    {"FunctionCalledByConstructor",
     "__device__ int me() { return threadIdx.x; }\nstruct S { int v; __device__ S() : v(me()) {} };",
     "S s; int v = s.v;", "the constructor of 'S' calls a function that reads 'threadIdx.x'"},
    {"ConstructorOfBase",
     "struct B { int v; __device__ B() : v(threadIdx.x) {} };\nstruct S : B { int w = 1; };",
     "S s; int v = s.v + s.w;", "the constructor of 'B' reads 'threadIdx.x'"},
    {"InheritedConstructor",
     "struct B { int v; __device__ B(int a) : v(a + threadIdx.x) {} };\nstruct S : B { using B::B; };",
     "S s(n); int v = s.v;", "the constructor of 'B' reads 'threadIdx.x'"},
    {"DelegatingConstructor",
     "struct S { int v; __device__ S(int a) : v(a + threadIdx.x) {} __device__ S() : S(2) {} };",
     "S s; int v = s.v;", "the constructor of 'S' reads 'threadIdx.x'"},
    {"ConstructorOfArrayElements", "struct S { int v; __device__ S() : v(threadIdx.x) {} };",
     "S s[2]; int v = s[1].v;", "the constructor of 'S' reads 'threadIdx.x'"},
    {"CopyConstructor",
     "struct S { int v; __device__ S(int a) : v(a) {} __device__ S(const S &s) : v(s.v + threadIdx.x) {} };",
     "S s(n); S t = s; int v = t.v;", "the constructor of 'S' reads 'threadIdx.x'"},
    {"MoveConstructor",
     "struct S { int v; __device__ S(int a) : v(a) {} __device__ S(S &&s) : v(s.v + threadIdx.x) {} };",
     "S s(n); S t = static_cast<S &&>(s); int v = t.v;", "the constructor of 'S' reads 'threadIdx.x'"},
    {"DestructorOfVariable", "struct S { int *p; __device__ ~S() { p[threadIdx.x] += 1; } };",
     "S s{a}; int v = n;", "the destructor of 'S' reads 'threadIdx.x'"},
    {"DestructorOfTemporary",
     "struct S { int *p; __device__ ~S() { p[threadIdx.x] += 1; } __device__ int f() const { return 1; } };",
     "int v = S{a}.f();", "the destructor of 'S' reads 'threadIdx.x'"},
    {"DestructorOfMember",
     "struct M { int *p; __device__ ~M() { p[threadIdx.x] += 1; } };\nstruct S { M m; };",
     "S s{{a}}; int v = n;", "the destructor of 'M' reads 'threadIdx.x'"},
    {"DestructorOfParameter",
     "struct S { int *p; __device__ ~S() { p[threadIdx.x] += 1; } };\n__device__ int f(S s) { return 1; }",
     "int v = f(S{a});", "the destructor of 'S' reads 'threadIdx.x'"},
    {"DefaultArgument", "__device__ int f(int a, int b = threadIdx.x) { return a + b; }", "int v = f(n);",
     "a default argument of 'f' reads 'threadIdx.x'"},
    {"FunctionCalledByDefaultArgument",
     "__device__ int me() { return threadIdx.x; }\n__device__ int f(int a, int b = me()) { return a + b; }",
     "int v = f(n);", "a default argument of 'f' calls a function that reads 'threadIdx.x'"},
    {"Conversion", "struct S { __device__ operator int() const { return threadIdx.x; } };", "S s; int v = s;",
     "the conversion of 'S' to 'int' reads 'threadIdx.x'"},
    {"FreeOperator",
     "struct S { int a; };\n__device__ int operator+(S s, int b) { return s.a + b + threadIdx.x; }",
     "S s{n}; int v = s + 1;", "the overloaded operator 'operator+' reads 'threadIdx.x'"},
    {"MemberOperator",
     "struct S { int a; __device__ int operator+(int b) const { return b + threadIdx.x; } };",
     "S s{n}; int v = s + 1;", "the overloaded operator 'S::operator+' reads 'threadIdx.x'"},
    {"CallOperator",
     "struct S { int a; __device__ int operator()(int b) const { return b + threadIdx.x; } };",
     "S s{n}; int v = s(1);", "the overloaded operator 'S::operator()' reads 'threadIdx.x'"},
    {"Assignment",
     "struct S { int v; __device__ S &operator=(int b) { v = b + threadIdx.x; return *this; } };",
     "S s; s = n; int v = s.v;", "the overloaded operator 'S::operator=' reads 'threadIdx.x'"},
    {"StaticMember", "struct S { static __device__ int f(int b) { return b + threadIdx.x; } };",
     "int v = S::f(n);", "the member function 'S::f' reads 'threadIdx.x'"},
    {"RangeFor",
     "struct I { int i; __device__ int operator*() const { return i; } __device__ I &operator++() { ++i; "
     "return "
     "*this; } __device__ bool operator!=(I e) const { return i != e.i; } };\n"
     "struct R { int n; __device__ I begin() const { return {int(threadIdx.x)}; } __device__ I end() const { "
     "return {n}; } };",
     "int v = 0; for (int i : R{n}) v += i;",
     "'R::begin', which the range-based for calls, reads 'threadIdx.x'"},
    {"StructuredBinding",
     "namespace std { template <class T> struct tuple_size; template <unsigned long I, class T> struct "
     "tuple_element; }\nstruct P { int a; };\n"
     "template <> struct std::tuple_size<P> { static constexpr unsigned long value = 1; };\n"
     "template <unsigned long I> struct std::tuple_element<I, P> { using type = int; };\n"
     "template <unsigned long I> __device__ int get(const P &p) { return p.a + threadIdx.x; }",
     "auto [x] = P{n}; int v = x;", "'get', which the structured binding calls, reads 'threadIdx.x'"},
    {"LambdaOutsideOfTheKernel", "static const auto f = [](int b) { return int(b + threadIdx.x); };",
     "int v = f(n);", "a lambda reads 'threadIdx.x'"},
    {"DefaultArgumentOfLambda", "",
     "auto f = [](int b, int c = threadIdx.x) { return b + c; }; int v = f(n);", "a default argument of"},
    {"PlacementNew",
     "inline __device__ void *operator new(unsigned long, void *p) { return p; }\n"
     "inline __device__ void operator delete(void *, void *) {}\n"
     "struct S { int v; __device__ S() : v(threadIdx.x) {} };",
     "alignas(S) char b[sizeof(S)]; S *s = new (b) S; int v = s->v;",
     "the constructor of 'S' reads 'threadIdx.x'"},
    {"PackOfConstructions",
     "struct S { int v; __device__ S(int a) : v(a + threadIdx.x) {} };\n"
     "template <class... T> __device__ int sum(T... t) { return (S(t).v + ...); }",
     "int v = sum(n, 2, 3);", "the constructor of 'S' reads 'threadIdx.x'"},
    {"CallThroughPointer",
     "__device__ int f(int b) { return b + threadIdx.x; }\n__device__ int g(int b) { return b; }",
     "int (*p)(int) = n > 2 ? f : g; int v = p(n);",
     "a call through a pointer: what it executes is not known"},
    {"VirtualCall",
     "struct B { __device__ virtual int f() { return 1; } };\n"
     "struct S : B { __device__ int f() override { return threadIdx.x; } };\n"
     "__device__ int call(B &b) { return b.f(); }",
     "S s; int v = call(s);", "a call of the virtual function 'B::f': what it executes is not known"},
    {"FunctionOfAnotherFile", "__device__ int other(int);", "int v = other(n);",
     "'other', whose body is not in this file: what it executes is not known"},
};

std::string program(const Hidden &hidden, const std::string &launch = "k<<<4, 64>>>(nullptr, 3);") {
  return std::string(hidden.declarations) + "\n__global__ void k(int *a, int n) {\n  " + hidden.body +
         "\n  a[blockIdx.x * blockDim.x + threadIdx.x] = v;\n}\nint main() { " + launch + " }\n";
}

class ReadsIndex : public ::testing::TestWithParam<Hidden> {};

} // namespace

TEST_P(ReadsIndex, IsRefusedByDirectivesThatRenumberThreads) {
  const Hidden &hidden = GetParam();
  const std::string text = program(hidden);
  for (const char *directive : {"coarsen x=2", "coarsen x=2 map=blocked", "regroup by=a[threadIdx.x]"})
    EXPECT_THAT(optimized(text, directive), AllOf(StartsWith("refused: "), HasSubstr(hidden.reason)))
        << directive;
}

/// Indices along y do not change when threads are merged along x.
TEST_P(ReadsIndex, IsNoObstacleToADirectiveThatLeavesThisIndexAlone) {
  const Hidden &hidden = GetParam();
  const std::string reason = hidden.reason;
  if (reason.find("not known") != std::string::npos || reason.find("lambda") != std::string::npos)
    return; // refused for any index
  EXPECT_THAT(optimized(program(hidden, "k<<<4, dim3(32, 2)>>>(nullptr, 3);"), "coarsen y=2"),
              Not(HasSubstr(hidden.reason)));
}

INSTANTIATE_TEST_SUITE_P(All, ReadsIndex, ::testing::ValuesIn(readsIndex),
                         [](const auto &each) { return std::string(each.param.name); });

TEST(HiddenCode, ObjectsThatReadNoIndexAreNoObstacle) {
  const std::string text = optimized(
      "struct V { float x, y; __device__ V(float x, float y) : x(x), y(y) {}\n"
      "  __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); } };\n"
      "__global__ void k(float *a) { V p(threadIdx.x, 1); V q = p + V(2, 3); a[threadIdx.x] = q.x; }\n"
      "int main() { k<<<1, 64>>>(nullptr); }\n",
      "coarsen x=2");
  EXPECT_THAT(text, AllOf(HasSubstr("V p(threadX, 1);"), HasSubstr("V q = p + V(2, 3);"),
                          HasSubstr("a[threadX] = q.x;")));
}

/// The type of the object settles which function a virtual call comes to.
TEST(HiddenCode, AVirtualCallOfAKnownObjectIsFollowed) {
  const std::string text = optimized("struct S { __device__ virtual int f(int i) const { return i; } };\n"
                                     "__global__ void k(int *a) { S s; a[s.f(threadIdx.x)] = 1; }\n"
                                     "int main() { k<<<1, 64>>>(nullptr); }\n",
                                     "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("a[s.f(threadX)] = 1;"));
}

TEST(HiddenCode, BarriersInConstructorsAndDestructorsAreRefused) {
  auto refusal = [](const std::string &type, const std::string &body) {
    return optimized("struct S { __device__ " + type +
                         " { __syncthreads(); } };\n"
                         "__global__ void k(int *a) { __shared__ int t[64]; " +
                         body +
                         " a[threadIdx.x] = t[63 - threadIdx.x]; }\n"
                         "int main() { k<<<1, 64>>>(nullptr); }\n",
                     "coarsen x=2");
  };
  EXPECT_THAT(refusal("S()", "t[threadIdx.x] = 1; S s;"),
              HasSubstr("the constructor of 'S' waits at the barrier '__syncthreads'"));
  EXPECT_THAT(refusal("~S()", "{ S s; t[threadIdx.x] = 1; }"),
              HasSubstr("the destructor of 'S' waits at the barrier '__syncthreads'"));
}

/// A block-wide function of a library on a dependent type, as CUB has them: nothing of it can be edited.
TEST(HiddenCode, BarriersAndIndicesInLibrariesAreRefused) {
  auto refusal = [](const std::string &body) {
    return optimized("# 1 \"library.h\" 1 3\n"
                     "template <class T> struct BlockSum { __device__ T sum(T value) { " +
                         body +
                         " return value; } };\n"
                         "# 1 \"test.cu\" 2\n"
                         "template <class T> __global__ void k(T *a) {\n"
                         "  using Sum = BlockSum<T>;\n"
                         "  a[threadIdx.x] = Sum().sum(a[threadIdx.x]);\n"
                         "}\n"
                         "int main() { k<float><<<1, 64>>>(nullptr); }\n",
                     "coarsen x=2");
  };
  EXPECT_THAT(refusal("__syncthreads();"),
              HasSubstr("the member function 'BlockSum<float>::sum' waits at the barrier '__syncthreads'"));
  EXPECT_THAT(refusal("value += threadIdx.x;"),
              HasSubstr("the member function 'BlockSum<float>::sum' reads 'threadIdx.x'"));
  EXPECT_THAT(refusal(""), Not(HasSubstr("refused")));
}

TEST(HiddenCode, SpecialRegistersThatFunctionsReadAreRefused) {
  auto coarsened = [](const std::string &read) {
    return optimized("struct S { int v; __device__ S() { " + read +
                         " } };\n__global__ void k(int *a) { S s; a[threadIdx.x] = s.v; }\n"
                         "int main() { k<<<1, 64>>>(nullptr); }\n",
                     "coarsen x=2");
  };
  EXPECT_THAT(coarsened("asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(v));"),
              HasSubstr("assembly reads the thread's or block's index, which is not followed"));
  EXPECT_THAT(coarsened("v = __nvvm_read_ptx_sreg_tid_x();"),
              HasSubstr("a function of the compiler reads the thread's or block's index"));
  // Lanes stay where they are in whole warps.
  EXPECT_THAT(coarsened("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(v));"), Not(HasSubstr("refused")));
}

/// Objects whose destructor does something are made for each work item, even where all are alike.
TEST(HiddenCode, DestructorsRunForEachWorkItem) {
  const std::string text = optimized("struct S { int *p; __device__ ~S() { atomicAdd(p, 1); } };\n"
                                     "__global__ void k(int *a) { S s{a}; }\n"
                                     "int main() { k<<<1, 64>>>(nullptr); }\n",
                                     "coarsen x=2");
  EXPECT_LT(text.find("for (unsigned kx = 0"), text.find("S s{a};"));
}
