// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Parser.h"
#include "vm/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::vm::test {

inline std::string textOf(const Diagnostics &diagnostics) {
  std::ostringstream out;
  print(out, diagnostics, false);
  return out.str();
}

/// A machine with one module, and buffers that a test fills, gives to a kernel and reads again.
class Runner {
public:
  explicit Runner(std::string_view body, Limits limits = {}) : simulator(limits) {
    Diagnostics problems;
    std::string text = ".version 8.5\n.target sm_90a\n.address_size 64\n" + std::string(body);
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(text, "test.ptx", problems));
    EXPECT_TRUE(problems.empty()) << textOf(problems);
    module = simulator.load(parsed, problems);
    EXPECT_NE(module, nullptr) << textOf(problems);
  }

  const Kernel *kernel(std::string_view which = "k") {
    Diagnostics problems;
    const Kernel *found = module ? module->kernel(which, problems) : nullptr;
    EXPECT_NE(found, nullptr) << textOf(problems);
    return found;
  }
  std::string whyNoKernel(std::string_view which = "k") {
    Diagnostics problems;
    EXPECT_EQ(module->kernel(which, problems), nullptr);
    return textOf(problems);
  }

  template <class T> T *buffer(size_t count, T value = T()) {
    T *at = static_cast<T *>(simulator.memory().allocate(count * sizeof(T), AllocationKind::Device));
    std::fill_n(at, count, value);
    return at;
  }
  template <class T> T *buffer(const std::vector<T> &values) {
    T *at = buffer<T>(values.size());
    std::copy(values.begin(), values.end(), at);
    return at;
  }

  template <class... P> LaunchResult launch(Dim3 grid, Dim3 block, P... parameters) {
    request.kernel = kernel(name);
    if (!request.kernel)
      return {};
    request.grid = grid, request.block = block;
    request.parameters.clear();
    (add(parameters), ...);
    return simulator.launch(request, observer);
  }
  /// Launches and expects success.
  template <class... P> LaunchResult run(Dim3 grid, Dim3 block, P... parameters) {
    LaunchResult result = launch(grid, block, parameters...);
    EXPECT_TRUE(result.ok()) << result.refusal << (result.fault ? story(*result.fault) : "");
    return result;
  }

  static std::string story(const Fault &fault) {
    std::ostringstream out;
    print(out, fault.diagnostic(), false);
    return out.str();
  }

  Simulator simulator;
  LoadedModule *module = nullptr;
  LaunchRequest request;
  Observer *observer = nullptr;
  std::string name = "k";

private:
  template <class T> void add(T value) {
    size_t at = (request.parameters.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    request.parameters.resize(at + sizeof(T));
    std::memcpy(request.parameters.data() + at, &value, sizeof(T));
  }
};

} // namespace heddle::vm::test
