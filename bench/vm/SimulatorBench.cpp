// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's speed in thread-instructions per second (`items_per_second`), on one core and on two, and
// beside it the ratio to the same work compiled natively: `native_ratio` is how many times longer the simulator
// takes. Under the checker `check_ratio` is how many times longer it takes than the simulator alone, both
// measured in turns in the same run; the same for the profiler and for the counters of a launch. HEDDLE_ENGINE selects
// the engine of both.
#include "check/Checker.h"
#include "counts/LaunchCounter.h"
#include "divergence/Profiler.h"
#include "ptx/Parser.h"
#include "vm/Simulator.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>

namespace {

using namespace heddle;
using namespace heddle::vm;

const char *Kernels = R"(.version 8.5
.target sm_90
.address_size 64
// x = fma(x, a, b), 64 times a round
.visible .entry dependentFma(.param .u64 out, .param .u32 rounds) {
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  cvt.rn.f32.u32 %f0, %r5; mov.f32 %f1, 0f3F7FF972; mov.f32 %f2, 0f3A83126F;
LOOP:
  @FMAS@
  sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra LOOP;
  mul.wide.u32 %rd1, %r5, 4; add.u64 %rd2, %rd0, %rd1; st.global.f32 [%rd2], %f0; ret;
}
// C = A * B, 16x16 tiles, n a multiple of 16
.visible .entry tiledProduct(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n) {
  .reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .f32 %f<8>; .reg .pred %p;
  .shared .align 4 .b8 as[1024]; .shared .align 4 .b8 bs[1024];
  ld.param.u64 %rd0, [c]; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;
  mad.lo.u32 %r5, %r4, 16, %r2; mad.lo.u32 %r6, %r3, 16, %r1;
  mov.f32 %f0, 0f00000000; mov.u32 %r7, 0;
  mov.u32 %r8, as; mov.u32 %r9, bs; shl.b32 %r10, %r2, 6; shl.b32 %r11, %r1, 2;
  add.u32 %r12, %r8, %r10; add.u32 %r13, %r12, %r11; add.u32 %r14, %r9, %r10; add.u32 %r15, %r14, %r11; add.u32 %r16, %r9, %r11;
TILE:
  add.u32 %r17, %r7, %r1; mad.lo.u32 %r18, %r5, %r0, %r17; mul.wide.u32 %rd3, %r18, 4; add.u64 %rd4, %rd1, %rd3; ld.global.f32 %f1, [%rd4]; st.shared.f32 [%r13], %f1;
  add.u32 %r19, %r7, %r2; mad.lo.u32 %r20, %r19, %r0, %r6; mul.wide.u32 %rd5, %r20, 4; add.u64 %rd6, %rd2, %rd5; ld.global.f32 %f2, [%rd6]; st.shared.f32 [%r15], %f2;
  bar.sync 0;
  @PRODUCT@
  bar.sync 0;
  add.u32 %r7, %r7, 16; setp.lt.u32 %p, %r7, %r0; @%p bra TILE;
  mad.lo.u32 %r21, %r5, %r0, %r6; mul.wide.u32 %rd7, %r21, 4; add.u64 %rd8, %rd0, %rd7; st.global.f32 [%rd8], %f0; ret;
}
// Collatz steps of each thread's number: trip counts and branches differ by lane
.visible .entry divergent(.param .u64 out, .param .u32 first) {
  .reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .pred %p<4>;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r1, [first];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4; add.u32 %r6, %r5, %r1; mov.u32 %r7, 0;
LOOP:
  setp.le.u32 %p0, %r6, 1; @%p0 bra DONE;
  and.b32 %r8, %r6, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra EVEN;
  mad.lo.u32 %r6, %r6, 3, 1; xor.b32 %r9, %r6, %r7; add.u32 %r7, %r7, 1; bra LOOP;
EVEN:
  shr.u32 %r6, %r6, 1; add.u32 %r7, %r7, 1; bra LOOP;
DONE:
  mul.wide.u32 %rd1, %r5, 4; add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r7; ret;
}
)";

std::string expand() {
  std::string text = Kernels;
  auto replace = [&](const std::string &what, const std::string &by) {
    text.replace(text.find(what), what.size(), by);
  };
  std::string fmas, product;
  for (int i = 0; i < 64; ++i)
    fmas += "fma.rn.f32 %f0, %f0, %f1, %f2;\n";
  for (int k = 0; k < 16; ++k)
    product += "ld.shared.f32 %f3, [%r12+" + std::to_string(4 * k) + "]; ld.shared.f32 %f4, [%r16+" +
               std::to_string(64 * k) + "]; fma.rn.f32 %f0, %f3, %f4, %f0;\n";
  replace("@FMAS@", fmas);
  replace("@PRODUCT@", product);
  return text;
}

struct Bench {
  Simulator simulator{Limits()};
  LoadedModule *module = nullptr;
  Bench() {
    Diagnostics problems;
    module =
        simulator.load(std::make_shared<ptx::Module>(ptx::parse(expand(), "bench.ptx", problems)), problems);
  }
  static Bench &get() {
    static Bench bench;
    return bench;
  }
  template <class T> T *buffer(size_t count) {
    T *at = static_cast<T *>(simulator.memory().allocate(count * sizeof(T), AllocationKind::Device));
    std::fill_n(at, count, T(1));
    return at;
  }
  template <class... P>
  LaunchRequest request(const char *name, Dim3 grid, Dim3 block, unsigned cores, P... parameters) {
    Diagnostics problems;
    LaunchRequest r;
    r.kernel = module->kernel(name, problems);
    r.grid = grid, r.block = block, r.cores = cores;
    auto add = [&](auto value) {
      size_t at = (r.parameters.size() + sizeof(value) - 1) / sizeof(value) * sizeof(value);
      r.parameters.resize(at + sizeof(value));
      std::memcpy(r.parameters.data() + at, &value, sizeof(value));
    };
    (add(parameters), ...);
    return r;
  }
};

template <class F> double secondsOf(F work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs the launch in the benchmark's loop and reports thread-instructions; `native` does the same work here.
template <class F> void measure(benchmark::State &state, const LaunchRequest &request, F native) {
  Bench &bench = Bench::get();
  uint64_t instructions = 0;
  double seconds = 0;
  for (auto _ : state) {
    LaunchResult result = bench.simulator.launch(request);
    if (!result.ok()) {
      state.SkipWithError("the launch failed");
      return;
    }
    instructions += result.threadInstructions;
    seconds += result.seconds;
  }
  state.SetItemsProcessed(int64_t(instructions));
  native();
  const double once = secondsOf(native);
  state.counters["native_ratio"] = seconds / double(state.iterations()) / once;
}

void dependentFma(benchmark::State &state) {
  constexpr unsigned Blocks = 64, Threads = 256, Rounds = 16;
  auto *out = Bench::get().buffer<float>(Blocks * Threads);
  measure(state,
          Bench::get().request("dependentFma", {Blocks}, {Threads}, unsigned(state.range(0)), out, Rounds),
          [&] {
            for (unsigned t = 0; t < Blocks * Threads; ++t) {
              float x = float(t);
              for (unsigned i = 0; i < 64 * Rounds; ++i)
                x = __builtin_fmaf(x, 0.9999f, 0.001f);
              out[t] = x;
            }
            benchmark::DoNotOptimize(out);
          });
}

void tiledProduct(benchmark::State &state) {
  constexpr unsigned N = 256;
  auto *a = Bench::get().buffer<float>(N * N), *b = Bench::get().buffer<float>(N * N),
       *c = Bench::get().buffer<float>(N * N);
  measure(
      state,
      Bench::get().request("tiledProduct", {N / 16, N / 16}, {16, 16}, unsigned(state.range(0)), c, a, b, N),
      [&] {
        std::fill_n(c, N * N, 0.0f);
        for (unsigned i = 0; i < N; ++i)
          for (unsigned k = 0; k < N; ++k)
            for (unsigned j = 0; j < N; ++j)
              c[i * N + j] += a[i * N + k] * b[k * N + j];
        benchmark::DoNotOptimize(c);
      });
}

void divergent(benchmark::State &state) {
  constexpr unsigned Blocks = 64, Threads = 256, First = 1000;
  auto *out = Bench::get().buffer<uint32_t>(Blocks * Threads);
  measure(state, Bench::get().request("divergent", {Blocks}, {Threads}, unsigned(state.range(0)), out, First),
          [&] {
            for (unsigned t = 0; t < Blocks * Threads; ++t) {
              uint32_t x = t + First, steps = 0;
              for (; x > 1; ++steps)
                x = x % 2 ? x * 3 + 1 : x / 2;
              out[t] = steps;
            }
            benchmark::DoNotOptimize(out);
          });
}

/// The tiled product under an observer, and alone, in turns.
template <class Launch> void observedProduct(benchmark::State &state, const char *ratio, Launch launch) {
  constexpr unsigned N = 256;
  Bench &bench = Bench::get();
  auto *a = bench.buffer<float>(N * N), *b = bench.buffer<float>(N * N), *c = bench.buffer<float>(N * N);
  const LaunchRequest request = bench.request("tiledProduct", {N / 16, N / 16}, {16, 16}, 1, c, a, b, N);
  launch(request); // both are compiled, if they are, before they are measured
  bench.simulator.launch(request);
  uint64_t instructions = 0;
  double observed = 0, alone = 0;
  for (auto _ : state) {
    // The processor's time, not the clock's: others may be at work on this machine.
    const std::clock_t start = std::clock();
    instructions += launch(request).threadInstructions;
    const std::clock_t middle = std::clock();
    bench.simulator.launch(request);
    observed += double(middle - start);
    alone += double(std::clock() - middle);
  }
  state.SetItemsProcessed(int64_t(instructions));
  state.counters[ratio] = observed / alone;
}

/// The checker of `heddle check`.
void checkedProduct(benchmark::State &state) {
  check::FindingList findings;
  check::Checker checker({}, findings);
  observedProduct(state, "check_ratio", [&](const LaunchRequest &request) {
    return Bench::get().simulator.launch(request, &checker);
  });
  if (!findings.empty())
    state.SkipWithError("the checker found something");
}

/// The profiler of `heddle profile`.
void profiledProduct(benchmark::State &state) {
  observedProduct(state, "profile_ratio", [&](const LaunchRequest &request) {
    divergence::Profiler profiler(*request.kernel, divergence::kernelInputs(*request.kernel));
    return Bench::get().simulator.launch(request, &profiler);
  });
}

/// The counters that `heddle tune` has without a GPU.
void countedProduct(benchmark::State &state) {
  observedProduct(state, "count_ratio", [&](const LaunchRequest &request) {
    Diagnostics problems;
    const counts::KernelCode code = counts::codeOf(*request.kernel, *arch::findArch("sm_90", problems));
    counts::LaunchCounter counter(*request.kernel, code);
    return Bench::get().simulator.launch(request, &counter);
  });
}

/// What a launch costs beyond its instructions.
void smallLaunch(benchmark::State &state) {
  auto *out = Bench::get().buffer<float>(32);
  const LaunchRequest request = Bench::get().request("dependentFma", {1}, {32}, 1, out, 1u);
  for (auto _ : state)
    benchmark::DoNotOptimize(Bench::get().simulator.launch(request));
}

BENCHMARK(smallLaunch)->Unit(benchmark::kMicrosecond);
BENCHMARK(dependentFma)->Arg(1)->Arg(2)->ArgName("cores")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(tiledProduct)->Arg(1)->Arg(2)->ArgName("cores")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(checkedProduct)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(profiledProduct)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(countedProduct)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(divergent)->Arg(1)->Arg(2)->ArgName("cores")->UseRealTime()->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
