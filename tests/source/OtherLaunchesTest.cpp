// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a kernel can be launched from places that the file does not show.
#include "source/OtherLaunches.h"

#include "source/ParsedText.h"
#include "source/Unit.h"

#include <clang/AST/Decl.h>

using namespace heddle;
using namespace heddle::source;
using heddle::testing::parsed;

namespace {

/// The messages about the kernel 'k': all its instantiations that have the same text as the first.
std::string otherLaunchesOf(const std::string &text, bool isWhole = false) {
  auto program = parsed(text);
  if (!program)
    return "does not compile";
  std::vector<const Kernel *> instances;
  for (const auto &kernel : program->kernels())
    if (kernel->plainName == "k" &&
        (instances.empty() || instances[0]->function->getLocation() == kernel->function->getLocation()))
      instances.push_back(kernel.get());
  const std::optional<OtherLaunches> other = otherLaunches(*program, instances, isWhole);
  if (!other)
    return "none";
  switch (other->kind) {
  case OtherLaunches::Kind::AddressTaken: return "address taken";
  case OtherLaunches::Kind::SharedLaunch: return "shared launch";
  case OtherLaunches::Kind::Declared: return "declared";
  case OtherLaunches::Kind::Instantiated: return "instantiated";
  case OtherLaunches::Kind::NotLaunched: return "not launched";
  case OtherLaunches::Kind::ExternalLinkage: return "external linkage";
  }
  return "?";
}

const std::string kernel = "__global__ void k(float *a) { *a = 1; }\n";

/// The kernel with this in main: a whole program.
std::string inMain(const std::string &statements, const std::string &before = "") {
  return otherLaunchesOf(kernel + before + "int main() { float *a = nullptr; " + statements + " }\n");
}

} // namespace

TEST(OtherLaunches, AFileWithMainAndAllThatItUsesIsAWholeProgram) {
  EXPECT_EQ(inMain("k<<<1, 64>>>(a);"), "none");
  EXPECT_EQ(inMain("run(a);", "void run(float *a) { k<<<1, 64>>>(a); }\n"), "none");
}

TEST(OtherLaunches, WhatIsUsedAndNotDefinedIsInAnotherFile) {
  EXPECT_EQ(inMain("k<<<1, 64>>>(a); run(a);", "void run(float *a);\n"), "external linkage");
  EXPECT_EQ(inMain("k<<<1, 64>>>(a); a = shared;", "extern float *shared;\n"), "external linkage");
  EXPECT_EQ(inMain("k<<<1, 64>>>(a); s.run();", "struct S { void run(); } s;\n"), "external linkage");
  // What is only declared is not needed to link.
  EXPECT_EQ(inMain("k<<<1, 64>>>(a);", "void run(float *a);\nextern float *shared;\n"), "none");
  // An extern __device__ function links with -rdc only, with the file that defines it.
  EXPECT_EQ(otherLaunchesOf("__device__ float f();\n__global__ void k(float *a) { *a = f(); }\n"
                            "int main() { k<<<1, 64>>>(nullptr); }\n"),
            "external linkage");
}

TEST(OtherLaunches, WithoutMainOtherFilesAreThere) {
  EXPECT_EQ(otherLaunchesOf(kernel + "void f(float *a) { k<<<1, 64>>>(a); }\n"), "external linkage");
  EXPECT_EQ(otherLaunchesOf(kernel + "void f(float *a) { k<<<1, 64>>>(a); }\n", true), "none");
  EXPECT_EQ(otherLaunchesOf(kernel), "not launched");
  EXPECT_EQ(otherLaunchesOf(kernel, true), "none");
}

TEST(OtherLaunches, InternalLinkageClosesAKernel) {
  EXPECT_EQ(otherLaunchesOf("static " + kernel + "void f(float *a) { k<<<1, 64>>>(a); }\n"), "none");
  EXPECT_EQ(otherLaunchesOf("static " + kernel), "none");
  EXPECT_EQ(otherLaunchesOf("namespace { struct T { float x; }; }\n"
                            "template <class T> __global__ void k(T *a) { a->x = 1; }\n"
                            "void f(T *a) { k<<<1, 64>>>(a); }\n"),
            "none");
}

TEST(OtherLaunches, DeclarationsForOthersAreNamed) {
  const std::string launch = "void f(float *a) { k<<<1, 64>>>(a); }\n";
  EXPECT_EQ(otherLaunchesOf("extern __global__ void k(float *a);\n" + kernel + launch), "declared");
  EXPECT_EQ(otherLaunchesOf("extern \"C\" " + kernel + launch), "declared");
  EXPECT_EQ(otherLaunchesOf("__global__ void k(float *a);\n" + launch + kernel), "external linkage");
  EXPECT_EQ(otherLaunchesOf("template <class T> __global__ void k(T *a) { *a = 1; }\n"
                            "template __global__ void k<float>(float *);\n" +
                            launch),
            "instantiated");
  EXPECT_EQ(otherLaunchesOf("template <class T> __global__ void k(T *a) { *a = 1; }\n" + launch),
            "external linkage");
}

TEST(OtherLaunches, AnAddressThatGoesSomewhereIsTaken) {
  EXPECT_EQ(inMain("void (*p)(float *) = k; p<<<1, 64>>>(a);"), "none");
  EXPECT_EQ(inMain("void *p = (void *)k; void *args[] = {&a}; cudaLaunchKernel(p, 1, 64, args, 0, 0);"),
            "none");
  EXPECT_EQ(inMain("void *args[] = {&a}; cudaLaunchKernel((void *)k, 1, 64, args, 0, 0);"), "none");
  EXPECT_EQ(inMain("cudaFuncAttributes f; cudaFuncGetAttributes(&f, k); k<<<1, 64>>>(a);"), "none");
  EXPECT_EQ(inMain("int grid, block; cudaOccupancyMaxPotentialBlockSize(&grid, &block, k); "
                   "k<<<grid, block>>>(a);"),
            "none");
  EXPECT_EQ(
      inMain("void (*p)(float *) = k; p<<<1, 64>>>(a); other(p);", "void other(void (*)(float *)) {}\n"),
      "address taken");
  // One launch through a pointer says nothing about other pointers.
  EXPECT_EQ(
      inMain("auto *p = k; p<<<1, 64>>>(a); void (*t[])(float *) = {k}; t[a != nullptr]<<<1, 64>>>(a);"),
      "address taken");
  EXPECT_EQ(inMain("go(k, a);", "void go(void (*f)(float *), float *a) { f<<<1, 64>>>(a); }\n"),
            "address taken");
  EXPECT_EQ(inMain("go<k>(a);", "template <void (*F)(float *)> void go(float *a) { F<<<1, 64>>>(a); }\n"),
            "address taken");
  EXPECT_EQ(inMain("k<<<1, 64>>>(a);", "void (*stored)(float *) = k;\n"), "address taken");
  EXPECT_EQ(inMain("void (*p)(float *) = k; if (a) p = k2; p<<<1, 64>>>(a);",
                   "__global__ void k2(float *a) { *a = 2; }\n"),
            "address taken");
}

TEST(OtherLaunches, ALaunchThatIsAnotherKernelsAsWellIsShared) {
  EXPECT_EQ(otherLaunchesOf("template <class T> __global__ void k(T *a) { *a = 1; }\n"
                            "template <> __global__ void k<int>(int *a) { *a = 2; }\n"
                            "template <class T> void run(T *a) { k<T><<<1, 64>>>(a); }\n"
                            "int main() { run<float>(nullptr); run<int>(nullptr); }\n"),
            "shared launch");
}

TEST(OtherLaunches, AMentionThatOnlyDeviceCodeHasIsSeen) {
  EXPECT_EQ(otherLaunchesOf("typedef void (*Kernel)(float *);\n" + kernel +
                            "__global__ void parent(Kernel *p) {\n"
                            "#ifdef __CUDA_ARCH__\n  *p = k;\n#endif\n}\n"
                            "int main() { k<<<1, 64>>>(nullptr); parent<<<1, 1>>>(nullptr); }\n"),
            "address taken");
}
