// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static check on kernels of megabytes with thousands of barriers: reading, lowering, and all of it. One
// core.
#include "LargeKernel.h"
#include "check/Static.h"
#include "ptx/Parser.h"
#include "vm/Simulator.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace heddle {
namespace {

std::string textOf(benchmark::State &state) {
  return bench::LargeKernelWriter({.threads = unsigned(state.range(0)), .rounds = unsigned(state.range(1))})
      .write();
}

void shapes(benchmark::internal::Benchmark *b) {
  b->ArgNames({"threads", "rounds"})->Unit(benchmark::kMillisecond);
  b->Args({512, 64})->Args({512, 625})->Args({1024, 625})->Args({1024, 2500});
}

void parse(benchmark::State &state) {
  const std::string text = textOf(state);
  for (auto _ : state) {
    Diagnostics problems;
    benchmark::DoNotOptimize(ptx::parse(text, "large.ptx", problems).functions.size());
  }
  state.counters["MB"] = double(text.size()) / 1e6;
}
BENCHMARK(parse)->Apply(shapes);

void lower(benchmark::State &state) {
  const std::string text = textOf(state);
  Diagnostics problems;
  auto module = std::make_shared<ptx::Module>(ptx::parse(text, "large.ptx", problems));
  for (auto _ : state) {
    vm::Simulator simulator({});
    benchmark::DoNotOptimize(simulator.load(module, problems)->kernel("k", problems));
  }
}
BENCHMARK(lower)->Apply(shapes);

void staticCheck(benchmark::State &state) {
  const std::string text = textOf(state);
  check::StaticOptions options;
  options.block = {unsigned(state.range(0)), 1, 1};
  check::StaticResult result;
  for (auto _ : state) {
    Diagnostics problems;
    ptx::Module module = ptx::parse(text, "large.ptx", problems);
    result = check::checkStatic(module, "k", options);
  }
  if (result.verdict != check::Verdict::Holds)
    state.SkipWithError("the kernel should be found right");
  state.counters["MB"] = double(text.size()) / 1e6;
  state.counters["barriers"] = double(result.barriers);
  state.counters["warp_instructions"] = double(result.warpInstructions);
}
BENCHMARK(staticCheck)->Apply(shapes);

} // namespace
} // namespace heddle

BENCHMARK_MAIN();
