// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of one kernel `k` of a PTX module under the dynamic check, for tests that compare it with the static check.
#pragma once

#include "check/Checker.h"
#include "ptx/Module.h"
#include "vm/Simulator.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace heddle::check::test {

class KernelRuns {
public:
  KernelRuns(const ptx::Module &parsed, size_t dataBytes, const CheckOptions &checks = {})
      : words(dataBytes / 4), options(checks) {
    Diagnostics problems;
    std::shared_ptr<const ptx::Module> borrowed(&parsed, [](const ptx::Module *) {});
    kernel = simulator.load(borrowed, problems)->kernel("k", problems);
    data = static_cast<uint32_t *>(simulator.memory().allocate(dataBytes, vm::AllocationKind::Device));
  }

  struct Shape {
    vm::Dim3 grid, block;
    double maxSeconds = 20;
  };

  /// What a run with random data under a random schedule finds; nothing where it took too long. The kernel's parameters
  /// are these numbers of 4 bytes each, and then a pointer to the data.
  std::optional<std::vector<Finding>> findings(const Shape &shape, uint32_t seed,
                                               const std::vector<uint32_t> &numbers) {
    std::mt19937 random(seed);
    for (size_t i = 0; i < words; ++i)
      data[i] = uint32_t(random());
    FindingList list;
    Checker checker(options, list);
    vm::LaunchRequest request;
    request.kernel = kernel;
    request.grid = shape.grid, request.block = shape.block;
    request.scheduleSeed = seed;
    request.maxSeconds = shape.maxSeconds;
    const size_t pointerAt = (numbers.size() * 4 + 7) / 8 * 8;
    request.parameters.resize(pointerAt + 8);
    std::memcpy(request.parameters.data(), numbers.data(), numbers.size() * 4);
    std::memcpy(request.parameters.data() + pointerAt, &data, 8);
    if (simulator.launch(request, &checker).status == vm::LaunchStatus::Timeout)
      return std::nullopt;
    return list.all();
  }

private:
  static vm::Limits small() {
    vm::Limits limits;
    limits.memoryBytes = 1 << 24;
    return limits;
  }
  const size_t words;
  const CheckOptions options;
  vm::Simulator simulator{small()};
  const vm::Kernel *kernel = nullptr;
  uint32_t *data = nullptr;
};

inline unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *given = std::getenv(name);
  return given ? unsigned(std::strtoul(given, nullptr, 10)) : otherwise;
}

} // namespace heddle::check::test
