// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with counters on the simulator, without a program around it.
#pragma once

#include "divergence/Profiler.h"
#include "instrument/CountedProfile.h"
#include "ptx/Parser.h"
#include "vm/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <sstream>

namespace heddle::instrument {

constexpr const char *Head = ".version 8.5\n.target sm_90a\n.address_size 64\n";

inline std::string textOf(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

/// A simulator with one module, whose kernel is "k".
struct Machine {
  explicit Machine(const std::string &ptx) {
    Diagnostics problems;
    parsed = std::make_shared<ptx::Module>(ptx::parse(ptx, "test.ptx", problems));
    module = problems.empty() ? simulator.load(parsed, problems) : nullptr;
    request.kernel = module ? module->kernel("k", problems) : nullptr;
    why = textOf(problems);
  }

  template <class T> T *buffer(size_t count) {
    return static_cast<T *>(simulator.memory().allocate(count * sizeof(T), vm::AllocationKind::Device));
  }

  vm::Simulator simulator{vm::Limits{}};
  std::shared_ptr<ptx::Module> parsed;
  vm::LoadedModule *module = nullptr;
  vm::LaunchRequest request;
  std::string why; ///< the kernel cannot be run
};

/// Sets grid, block and parameters of a launch, and the memory that it sees.
using Setting = std::function<void(Machine &)>;

/// By the simulator's profiler; nothing where the launch fails.
inline std::optional<divergence::LaunchProfile> simulated(const std::string &ptx, const Setting &setting) {
  Machine machine(ptx);
  if (!machine.request.kernel)
    return std::nullopt;
  setting(machine);
  divergence::Profiler profiler(*machine.request.kernel, divergence::kernelInputs(*machine.request.kernel));
  if (!machine.simulator.launch(machine.request, &profiler).ok())
    return std::nullopt;
  return profiler.take(16);
}

/// By counters in the kernel.
inline std::optional<divergence::LaunchProfile> counted(const std::string &ptx, const Setting &setting,
                                                        uint64_t mostBytes = uint64_t(1) << 30) {
  Diagnostics problems;
  InstrumentedModule instrumented{ptx::parse(ptx, "test.ptx", problems), {}};
  std::optional<CountedPtx> made = addCounters(ptx, instrumented.module, problems);
  EXPECT_TRUE(made) << textOf(problems);
  if (!made)
    return std::nullopt;
  instrumented.counted = std::move(*made);
  Machine machine(instrumented.counted.text);
  EXPECT_TRUE(machine.request.kernel) << machine.why << instrumented.counted.text;
  if (!machine.request.kernel)
    return std::nullopt;
  setting(machine);
  CountedLaunch launch;
  launch.kernel = "k";
  const vm::Dim3 &grid = machine.request.grid, &block = machine.request.block;
  launch.grid[0] = grid.x, launch.grid[1] = grid.y, launch.grid[2] = grid.z;
  launch.block[0] = block.x, launch.block[1] = block.y, launch.block[2] = block.z;
  const KernelRows &rows = instrumented.counted.kernels.at("k");
  const Layout layout = layoutOf(launch, rows, mostBytes).value();
  const size_t counters = layout.bytes() / sizeof(uint32_t);
  auto *buffer = machine.buffer<uint32_t>(counters);
  std::fill_n(buffer, counters, 0);
  const Header header = layout.header(reinterpret_cast<uint64_t>(buffer));
  std::memcpy(reinterpret_cast<void *>(machine.module->variable(HeaderName)->address), &header,
              sizeof header);
  const vm::LaunchResult result = machine.simulator.launch(machine.request);
  EXPECT_TRUE(result.ok()) << result.refusal;
  sumUp(launch, rows, layout, {buffer, counters});
  return profileOf(launch, instrumented, 16);
}

} // namespace heddle::instrument
