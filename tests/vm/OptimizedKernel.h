// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TestPaths.h"
#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "vm/Counters.h"
#include "vm/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::testing {

/// The only kernel of a file after directives, compiled by Clang and loaded into a simulator.
class OptimizedKernel {
public:
  /// `file`: from the project's root. No directives: the kernel as it is.
  OptimizedKernel(const std::filesystem::path &file, const std::string &directives)
      : simulator(vm::Limits()) {
    const std::filesystem::path original = std::filesystem::path(HEDDLE_SOURCE_DIR) / file;
    const std::filesystem::path changed = folder.path() / file.filename();
    if (!directives.empty()) {
      ProcessResult made = runProcess({HEDDLE_BUILD_DIR "/heddle", "opt", original, "-o", changed, "-d",
                                       directives, "--no-check", "--cuda-path", "none"});
      EXPECT_TRUE(made.succeeded()) << made.standardError;
    }

    build::Request request;
    request.sources = {{directives.empty() ? original : changed}, {"-I" + original.parent_path().string()}};
    request.compiler = build::Compiler::Clang;
    Diagnostics diagnostics;
    build::DevicePtx device = build::compileToPtx(request, diagnostics);
    EXPECT_TRUE(device.ok) << device.messages;
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(device.text, "", diagnostics));
    module = simulator.load(parsed, diagnostics);
    EXPECT_TRUE(module && diagnostics.empty());
  }

  template <class T> T *buffer(const std::vector<T> &values) {
    auto *at =
        static_cast<T *>(simulator.memory().allocate(values.size() * sizeof(T), vm::AllocationKind::Device));
    std::copy(values.begin(), values.end(), at);
    return at;
  }

  /// What a launch counts.
  template <class... Parameter>
  vm::CounterSums launch(unsigned blocks, unsigned threads, Parameter... parameters) {
    Diagnostics diagnostics;
    vm::LaunchRequest request;
    request.kernel = module->kernel(module->kernelNames().at(0), diagnostics);
    request.grid = {blocks}, request.block = {threads};
    (add(request, parameters), ...);
    vm::Counters counters;
    vm::LaunchResult result = simulator.launch(request, &counters);
    EXPECT_TRUE(result.ok()) << result.refusal;
    return counters.launches().at(0).sums;
  }

private:
  template <class T> static void add(vm::LaunchRequest &request, T value) {
    size_t at = (request.parameters.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    request.parameters.resize(at + sizeof(T));
    std::memcpy(request.parameters.data() + at, &value, sizeof(T));
  }

  TemporaryFolder folder;
  vm::Simulator simulator;
  vm::LoadedModule *module = nullptr;
};

} // namespace heddle::testing
