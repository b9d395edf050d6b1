// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Execution.h"

#include "AnalysedText.h"
#include "analysis/Accesses.h"
#include "analysis/Uniformity.h"

using namespace heddle;
using namespace heddle::analysis;
using heddle::testing::AnalysedText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const AnalysedText &executedText() {
  static const AnalysedText parsed(R"(
namespace std { template <class T> struct tuple_size; template <unsigned long I, class T> struct tuple_element; }
struct Pair { int a; };
template <> struct std::tuple_size<Pair> { static constexpr unsigned long value = 1; };
template <unsigned long I> struct std::tuple_element<I, Pair> { using type = int; };
template <unsigned long I> __device__ int get(const Pair &p) { return p.a + threadIdx.x; }
__device__ int state, otherState;
__device__ int helper(int n) { return n; }
__device__ void store(int n) { state = n; }
__device__ int withDefault(int a, int b = helper(3)) { return a + b; }
struct Member { int v = helper(1); __device__ ~Member() { store(2); } };
struct Whole { Member member; int w; __device__ Whole(int a) : w(helper(a)) {} };
struct Base { __device__ virtual int f() const { return 1; } };
struct Final final : Base { __device__ int f() const override { return threadIdx.x; } };
struct Index { int v; __device__ Index() : v(threadIdx.x) {} };
struct Plain { int v; __device__ Plain(int n) : v(n) {} };
struct WithDefault { int w; int v = threadIdx.x; };
struct Own { int x; __device__ int f() { x = threadIdx.x; return x; } };
struct Guard { int &r; __device__ Guard(int &r) : r(r) {} __device__ ~Guard() { r = threadIdx.x; } };
struct View { int *p; __device__ void put(int i) const { p[i] = threadIdx.x; } };
__device__ int external(int);

__global__ void object(int n) { Whole w(n); }
__global__ void temporary(int n) { int r = Member().v; }
__global__ void argument(int n) { int r = withDefault(n); }
__global__ void binding(int n) { auto [x] = Pair{n}; int r = x; }
__global__ void pointer(int (*f)(int), int n) { int r = f(n); }
__global__ void dispatched(const Base &b) { int r = b.f(); }
__global__ void settled(const Final &b) { int r = b.f(); }
__global__ void elsewhere(int n) { int r = external(n); }
__global__ void nothing(int n) { int r = n + threadIdx.x; Pair p{n}, q = p; }

__global__ void ofConstructor(int n) { Index s; int r = s.v; }
__global__ void ofArguments(int n) { Plain s(n); int r = s.v; }
__global__ void ofThreadArgument(int n) { Plain s(threadIdx.x); int r = s.v; }
__global__ void ofDefaultInitializer(int n) { WithDefault s{n}; int r = s.v; }
__global__ void ofBinding(int n) { auto [x] = Pair{n}; int r = x; }
__global__ void ofOwnWrite(int n) { Own o; int r = o.f(); }
__global__ void ofDestructor(int n) { int x = n; { Guard g(x); } int r = x; }
__global__ void ofState(int n) { store(threadIdx.x); int r = state; }
__global__ void ofOtherState(int n) { store(threadIdx.x); int r = otherState; }
__global__ void ofView(int *a, View v, int n) { v.put(n); int r = a[n]; }
__global__ void ofVirtual(const Base &b) { int r = b.f(); }
)");
  return parsed;
}

std::vector<std::string> executed(const std::string &kernel) {
  std::vector<std::string> list;
  for (const Executed &each : executedBy(executedText().kernel(kernel).function))
    list.push_back(each.str());
  return list;
}

Level levelIn(const std::string &kernel) {
  const source::Kernel &subject = executedText().kernel(kernel);
  return Uniformity::of(subject)->level(AnalysedText::variable(subject.function, "r")->getInit());
}

} // namespace

TEST(ExecutedBy, ListsWhatTheLanguageExecutes) {
  EXPECT_THAT(executed("object"), ElementsAre("the destructor of 'Whole'", "the constructor of 'Whole'"));
  EXPECT_THAT(executed("temporary"),
              ElementsAre("the destructor of 'Member'", "the constructor of 'Member'"));
  EXPECT_THAT(executed("argument"), ElementsAre("a default argument of 'withDefault'", "'withDefault'"));
  EXPECT_THAT(executed("binding"), ElementsAre("'get', which the structured binding calls,"));
  EXPECT_THAT(executed("pointer"), ElementsAre("a call through a pointer"));
  EXPECT_THAT(executed("dispatched"), ElementsAre("a call of the virtual function 'Base::f'"));
  EXPECT_THAT(executed("settled"), ElementsAre("the member function 'Final::f'"));
}

TEST(Reach, FollowsMembersAndDefaultsAndKnowsTheWay) {
  const source::Kernel &kernel = executedText().kernel("object");
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  std::map<std::string, bool> hidden;
  for (const Reached &each : reach.all())
    if (each.from)
      hidden[each.step.str()] = each.isHidden;
  EXPECT_TRUE(hidden.at("the constructor of 'Whole'"));
  EXPECT_TRUE(hidden.at("the constructor of 'Member'"));
  EXPECT_TRUE(hidden.at("the default initializer of 'Member::v'"));
  EXPECT_TRUE(hidden.at("the destructor of 'Member'"));
  EXPECT_TRUE(hidden.at("'store'")); // called by name, but from a destructor
  EXPECT_TRUE(reach.unknown().empty());
}

TEST(Reach, ACallByNameIsNotHidden) {
  const source::Kernel &kernel = executedText().kernel("argument");
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  for (const Reached &each : reach.all())
    if (each.from)
      EXPECT_EQ(each.isHidden, each.step.str() != "'withDefault'") << each.step.str();
}

TEST(Reach, WhatHasNoBodyIsUnknown) {
  for (const char *name : {"pointer", "dispatched", "elsewhere"}) {
    const source::Kernel &kernel = executedText().kernel(name);
    EXPECT_EQ(Reach::of(kernel.function, *kernel.unit).unknown().size(), 1u) << name;
  }
  const source::Kernel &kernel = executedText().kernel("nothing");
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  EXPECT_EQ(reach.all().size(), 1u);
  EXPECT_TRUE(reach.unknown().empty());
}

TEST(UniformityOfExecution, SeesThroughImplicitCalls) {
  EXPECT_EQ(levelIn("ofConstructor"), Level::Thread);
  EXPECT_EQ(levelIn("ofArguments"), Level::Grid);
  EXPECT_EQ(levelIn("ofThreadArgument"), Level::Thread);
  EXPECT_EQ(levelIn("ofDefaultInitializer"), Level::Thread);
  EXPECT_EQ(levelIn("ofBinding"), Level::Thread);
  EXPECT_EQ(levelIn("ofOwnWrite"), Level::Thread);
  EXPECT_EQ(levelIn("ofDestructor"), Level::Thread);
  EXPECT_EQ(levelIn("ofVirtual"), Level::Thread);
}

TEST(UniformityOfExecution, SeesStateThatFunctionsWrite) {
  EXPECT_EQ(levelIn("ofState"), Level::Thread);
  EXPECT_EQ(levelIn("ofOtherState"), Level::Grid);
  EXPECT_EQ(levelIn("ofView"), Level::Thread);
}

/// Constructors and destructors are not followed: where they reach memory, the list of accesses is not
/// complete.
TEST(AccessesOfExecution, SayWhereMemoryIsReachedUnseen) {
  auto gaps = [](const std::string &name) {
    std::string all;
    const std::unique_ptr<Accesses> accesses = Accesses::of(executedText().kernel(name), {});
    for (const Diagnostic &gap : accesses->gaps())
      all += gap.text + "\n";
    return all;
  };
  EXPECT_THAT(gaps("object"), HasSubstr("the destructor of 'Member' reaches memory, which is not analyzed"));
  EXPECT_THAT(gaps("pointer"), HasSubstr("what is executed by a call through a pointer is not known"));
  EXPECT_EQ(gaps("ofArguments"), "");
  EXPECT_EQ(gaps("ofConstructor"), "");
}
