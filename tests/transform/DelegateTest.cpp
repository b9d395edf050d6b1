// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the third stage of consolidate writes and what it refuses. Kernels here are one warp a block already,
// as the first stage leaves them. That the results compute the same is the business of tests/consolidate.
#include "transform/consolidate/Delegate.h"

#include "transform/Optimized.h"

using namespace heddle;
using ::testing::HasSubstr;

namespace {

const std::string on = "consolidate remap=off delegate=on";

transform::Outcome afterStage(const std::string &text, const std::string &directive, Diagnostics &diagnostics,
                              transform::Options options = {}) {
  options.compile.cudaPath = "none";
  options.isWholeProgram = true; // the texts are
  return transform::applyStage("test.cu", text, transform::readDirectives(directive, diagnostics).front(),
                               transform::delegateBlocks, options, diagnostics);
}

/// What becomes of a text by this stage alone.
std::string optimized(const std::string &text, const std::string &directive,
                      const transform::Options &options = {}) {
  Diagnostics diagnostics;
  const transform::Outcome outcome = afterStage(text, directive, diagnostics, options);
  return heddle::testing::inWords(outcome, diagnostics);
}

Diagnostics messagesOf(const std::string &text, const std::string &directive) {
  Diagnostics diagnostics;
  afterStage(text, directive, diagnostics);
  return diagnostics;
}

/// A kernel with this body, and a launch of it.
std::string kernel(const std::string &body, const std::string &launch = "k<<<4, 32>>>(nullptr, 0);") {
  return "__global__ void k(float *a, int n) {\n" + body + "}\nint main() { " + launch + " }\n";
}

std::string delegated(const std::string &body, const std::string &directive = on) {
  return optimized(kernel(body), directive);
}

} // namespace

TEST(Delegate, ABlockBecomesATaskAndTheKernelALoopOverTasks) {
  EXPECT_EQ(optimized("#include <cstdio>\n"
                      "\n"
                      "// Doubles what is there.\n"
                      "__global__ void k(float *a, int n) {\n"
                      "  int i = blockIdx.x * 32 + threadIdx.x;\n"
                      "  if (i >= n)\n"
                      "    return; // none\n"
                      "  a[i] *= 2.0f;\n"
                      "}\n"
                      "void f(float *a, cudaStream_t s) { k<<<8, dim3(32), 0, s>>>(a, 9); }\n",
                      on),
            "#include <cstdio>\n"
            "\n"
            "// Doubles what is there.\n"
            "#include <heddle/delegate.cuh>\n"
            "\n"
            "__device__ __forceinline__ void kTask(const heddle::Task &task, float *a, int n) {\n"
            "  const uint3 blockIdx = task.blockIdx;\n"
            "  int i = blockIdx.x * 32 + threadIdx.x;\n"
            "  if (i >= n)\n"
            "    return; // none\n"
            "  a[i] *= 2.0f;\n"
            "}\n"
            "\n"
            "__global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks, float *a, int n) {\n"
            "  for (const heddle::Task task : tasks) {\n"
            "    kTask(task, a, n);\n"
            "    __syncwarp(); // shared memory is free for the next one\n"
            "  }\n"
            "}\n"
            "void f(float *a, cudaStream_t s) { heddle::delegate(k, 8, dim3(32), 0, s)(a, 9); }\n");
}

TEST(Delegate, SharedMemoryGoesByTheWarp) {
  std::string text = delegated("  __shared__ float s[64], sum;\n"
                               "  s[threadIdx.x] = n;\n"
                               "  __syncwarp();\n"
                               "  a[blockIdx.x] = s[0] + sum;\n");
  EXPECT_THAT(text, HasSubstr("  __shared__ float sOfWarps[4][64], sumOfWarps[4];\n"
                              "  auto &s = sOfWarps[heddle::warpOfBlock()];\n"
                              "  auto &sum = sumOfWarps[heddle::warpOfBlock()];\n"
                              "  s[threadIdx.x] = n;\n"));
}

TEST(Delegate, SharedMemoryLimitsTheWarpsOfABlock) {
  EXPECT_THAT(delegated("  __shared__ float s[5000];\n  s[threadIdx.x] = n;\n"),
              HasSubstr("k(heddle::Tasks<2> tasks,"));
  EXPECT_THAT(delegated("  __shared__ float s[12000];\n  s[threadIdx.x] = n;\n"),
              HasSubstr("k(heddle::Tasks<1> tasks,"));
}

TEST(Delegate, DynamicSharedMemoryIsDividedAmongTheWarps) {
  EXPECT_THAT(delegated("  extern __shared__ float s[];\n  s[threadIdx.x] = n;\n"),
              HasSubstr("  extern __shared__ float sOfWarps[];\n"
                        "  auto *const s = heddle::ownPart(sOfWarps, task.sharedBytes);\n"));
  EXPECT_THAT(optimized("extern __shared__ int all[];\n" + kernel("  all[threadIdx.x] = n;\n"), on),
              HasSubstr("  auto *const all = heddle::ownPart(::all, task.sharedBytes);\n"));
}

TEST(Delegate, OnlyWhatIsAskedForHasAStandIn) {
  std::string text = delegated("  a[threadIdx.x] = n;\n");
  EXPECT_THAT(text, HasSubstr("float *a, int n) {\n  a[threadIdx.x] = n;\n"));
  text = delegated("  a[threadIdx.x] = gridDim.y + threadIdx.z + blockDim.z;\n");
  EXPECT_THAT(text, HasSubstr("{\n  const dim3 gridDim = task.gridDim;\n"
                              "  const uint3 threadIdx = heddle::threadOfTask();\n"
                              "  const dim3 blockDim = heddle::blockOfTask();\n"));
}

TEST(Delegate, WarpsMayBeDeepInZ) {
  std::string text = optimized(
      kernel("  __shared__ int s[32];\n  s[threadIdx.z] = n;\n", "k<<<4, dim3(4, 4, 2)>>>(nullptr, 0);"), on);
  EXPECT_THAT(text, HasSubstr("const uint3 threadIdx = heddle::threadOfTask<2>();\n"));
  EXPECT_THAT(text, HasSubstr("auto &s = sOfWarps[heddle::warpOfBlock<2>()];\n"));
  EXPECT_THAT(text, HasSubstr("k(heddle::Tasks<4, heddle::Order::Static, 0, 2> tasks, "));
}

TEST(Delegate, SettingsStandInTheKernelsTasks) {
  const std::string body = "  a[blockIdx.x] = n;\n";
  EXPECT_THAT(delegated(body, on + " tasks=dynamic"),
              HasSubstr("(heddle::Tasks<4, heddle::Order::Dynamic> "));
  EXPECT_THAT(delegated(body, on + " throttle=8"), HasSubstr("(heddle::Tasks<4, heddle::Order::Static, 8> "));
  EXPECT_THAT(delegated(body, on + " throttle=3"), HasSubstr("(heddle::Tasks<3, heddle::Order::Static, 3> "));
}

TEST(Delegate, FunctionsThatAskForTheBlockAreToldTheTask) {
  std::string text = optimized("__device__ int first() { return blockIdx.x * 32; }\n"
                               "__device__ int mine() { return first() + threadIdx.x; }\n" +
                                   kernel("  a[mine()] = n;\n"),
                               on);
  EXPECT_THAT(text, HasSubstr("int first(const heddle::Task &task) {\n"
                              "  const uint3 blockIdx = task.blockIdx; return blockIdx.x * 32; }\n"
                              "__device__ int mine(const heddle::Task &task) { return first(task) + "));
  EXPECT_THAT(text, HasSubstr("  a[mine(task)] = n;\n"));
}

TEST(Delegate, AFunctionThatOthersCallIsCopied) {
  transform::Options options;
  options.kernel = "k";
  const std::string text =
      optimized("__device__ int first() { return blockIdx.x * 32; }\n"
                "__global__ void other(int *a) { *a = first(); }\n" +
                    kernel("  a[first()] = n;\n") + "void f() { other<<<1, 64>>>(nullptr); }\n",
                on, options);
  EXPECT_THAT(text, HasSubstr("__device__ int first() { return blockIdx.x * 32; }\n"));
  EXPECT_THAT(text, HasSubstr("__device__ int firstOfk(const heddle::Task &task) {\n"));
  EXPECT_THAT(text, HasSubstr("  a[firstOfk(task)] = n;\n"));
}

TEST(Delegate, TemplatesKeepTheirParametersAndLaunchesSayThem) {
  std::string text = optimized("template <class T, int N> __global__ void k(T *a);\n"
                               "template <class T, int N>\n"
                               "__global__ void __launch_bounds__(32, 8) k(T *a) {\n"
                               "  if constexpr (N > 1)\n"
                               "    a[threadIdx.x] = blockIdx.x;\n"
                               "  else\n"
                               "    a[threadIdx.x] = gridDim.x;\n"
                               "}\n"
                               "template <int N, class T> __global__ void deduced(T *a) { *a = N; }\n"
                               "void f(float *a, int *b) {\n"
                               "  k<float, 1><<<1, 32>>>(a);\n"
                               "  k<int, 2><<<dim3(2, 2), 32>>>(b);\n"
                               "  deduced<7><<<1, 32>>>(b);\n"
                               "}\n",
                               on);
  EXPECT_THAT(text, HasSubstr("__global__ void k(heddle::Tasks<4>, T *a);\n"));
  EXPECT_THAT(text,
              HasSubstr("  const uint3 blockIdx = task.blockIdx;\n  const dim3 gridDim = task.gridDim;\n"));
  EXPECT_THAT(text, HasSubstr("__launch_bounds__(128, (8 + 3) / 4) k(heddle::Tasks<4> tasks, T *a) {\n"));
  EXPECT_THAT(text, HasSubstr("    kTask<T, N>(task, a);\n"));
  EXPECT_THAT(text, HasSubstr("heddle::delegate(k<int, 2>, dim3(2, 2), 32)(b);\n"));
  EXPECT_THAT(text, HasSubstr("heddle::delegate(deduced<7, int>, 1, 32)(b);\n"));
}

TEST(Delegate, ALaunchInAHostTemplateIsWrittenOnceForAllItsInstantiations) {
  std::string text = optimized("template <class T> __global__ void k(T *a) { *a = blockIdx.x; }\n"
                               "template <class T> void launch(T *a) { k<T><<<2, 32>>>(a); }\n"
                               "void f(float *a, int *b, char *c) { launch(a), launch(b), launch(c); }\n",
                               on);
  EXPECT_THAT(text, HasSubstr("void launch(T *a) { heddle::delegate(k<T>, 2, 32)(a); }\n"));
}

TEST(Delegate, KernelsInNamespacesAndOfCKeepTheirPlace) {
  std::string text = optimized("namespace inner {\n"
                               "static __global__ void k(int *a) { *a = blockIdx.x; }\n"
                               "}\n"
                               "extern \"C\" __global__ void c(int *a) { *a = blockIdx.x; }\n"
                               "void f(int *a) { inner::k<<<9, 32>>>(a); c<<<9, 32>>>(a); }\n",
                               on);
  EXPECT_THAT(text, HasSubstr("static __device__ __forceinline__ void kTask("));
  EXPECT_THAT(text,
              HasSubstr("static __global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks, int *a)"));
  EXPECT_THAT(text, HasSubstr("extern \"C\" __global__ void __launch_bounds__(128) c("));
  EXPECT_THAT(text, HasSubstr("heddle::delegate(inner::k, 9, 32)(a); heddle::delegate(c, 9, 32)(a);"));
}

TEST(Delegate, LaunchesByTheRuntimesFunctionAreRewritten) {
  EXPECT_THAT(optimized(kernel("  a[blockIdx.x] = n;\n",
                               "float *a = nullptr; int n = 0; void *list[] = {&a, &n}; "
                               "cudaLaunchKernel((const void *)k, dim3(4), dim3(32), list, 0, 0);"),
                        on),
              HasSubstr("heddle::launchDelegated(k, dim3(4), dim3(32), list, 0, 0);"));
}

TEST(Delegate, RefusesWhatNeedsMoreThanAWarp) {
  EXPECT_THAT(optimized(kernel("  a[0] = n;\n", "k<<<4, 64>>>(nullptr, 0);"), on),
              HasSubstr("a block must be one warp to be done by one, and it is (64, 1, 1) threads"));
  EXPECT_THAT(delegated("  __syncthreads();\n"), HasSubstr("'__syncthreads' is for more than a warp"));
}

TEST(Delegate, RefusesLanesThatReturnBeforeOthersMeet) {
  const std::string meet = "  if (threadIdx.x >= n)\n    return;\n  __syncwarp();\n  a[threadIdx.x] = n;\n";
  EXPECT_THAT(delegated(meet), HasSubstr("lanes that return here would go on to the next block"));
  EXPECT_THAT(delegated("  if (blockIdx.x >= n)\n    return;\n  __syncwarp();\n  a[threadIdx.x] = n;\n"),
              HasSubstr("heddle::Tasks"));
  EXPECT_THAT(delegated("  __syncwarp();\n  if (threadIdx.x >= n)\n    return;\n  a[threadIdx.x] = n;\n"),
              HasSubstr("heddle::Tasks"));
  EXPECT_THAT(delegated("  for (int i = 0; i < n; ++i) {\n"
                        "    if (a[threadIdx.x] > i)\n      return;\n"
                        "    a[i] = __shfl_sync(~0u, a[threadIdx.x], 0);\n  }\n"),
              HasSubstr("lanes that return here"));
}

TEST(Delegate, RefusesBlocksThatMayWaitForEachOther) {
  EXPECT_THAT(delegated("  volatile float *flag = a;\n  while (*flag == 0.0f)\n    ;\n"),
              HasSubstr("this loop may wait for another block"));
  EXPECT_THAT(delegated("  while (atomicAdd(a, 0.0f) < n)\n    ;\n"),
              HasSubstr("this loop may wait for another block"));
  EXPECT_THAT(delegated("  volatile __shared__ float s[32];\n  while (s[0] < n)\n    s[0] += 1.0f;\n"),
              HasSubstr("heddle::Tasks"));
  EXPECT_THAT(
      optimized(kernel("  a[0] = n;\n", "void *l[] = {nullptr}; cudaLaunchCooperativeKernel((void *)k, "
                                        "dim3(4), dim3(32), l, 0, 0);"),
                on),
      HasSubstr("this launch is for blocks that wait for each other"));
}

TEST(Delegate, RefusesWhatSpeaksOfTheMachinesBlock) {
  EXPECT_THAT(delegated("  unsigned b;\n  asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b));\n  a[b] = n;\n"),
              HasSubstr("'%ctaid'"));
  EXPECT_THAT(delegated("  auto f = []() { return blockIdx.x; };\n  a[f()] = n;\n"),
              HasSubstr("this lambda mentions 'blockIdx.x'"));
  EXPECT_THAT(delegated("  auto f = [=]() { return blockIdx.x; };\n  a[f()] = n;\n"),
              HasSubstr("heddle::Tasks"));
}

TEST(Delegate, RefusesAKernelWhoseAddressIsTaken) {
  EXPECT_THAT(optimized(kernel("  a[0] = n;\n", "auto p = k; k<<<4, 32>>>(nullptr, 0); (void)p;"), on),
              HasSubstr("the kernel's address is taken here"));
}

TEST(Delegate, OffAndAutoKeepAKernelThatMayNotBeDone) {
  const std::string text =
      kernel("  unsigned b;\n  asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(b));\n  a[b] = n;\n");
  EXPECT_EQ(optimized(text, "consolidate remap=off delegate=off"), text);
  EXPECT_EQ(optimized(text, "consolidate remap=off delegate=auto"), text);
  const Diagnostics messages = messagesOf(text, "consolidate remap=off delegate=auto");
  EXPECT_THAT(messages.all().back().text, HasSubstr("warps do not stay: assembly with '%ctaid' speaks"));
}

TEST(Delegate, SeveralKernelsUseTheSameNames) {
  const std::string text =
      optimized("__global__ void one(int *a) { *a = blockIdx.x; }\n"
                "__global__ void two(int *a) { *a = blockIdx.x; }\n"
                "__global__ void three(int *a, int task) { *a = blockIdx.x + task; }\n"
                "void f(int *a) { one<<<9, 32>>>(a); two<<<9, 32>>>(a); three<<<9, 32>>>(a, 1); }\n",
                on);
  EXPECT_THAT(text, HasSubstr("twoTask(const heddle::Task &task, int *a)"));
  EXPECT_THAT(text, HasSubstr("const heddle::Task &task2, int *a, int task) {"));
}
