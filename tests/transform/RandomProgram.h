// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running a program of random kernels, for the property tests: it prints "done", or which kernel differs.
#pragma once

#include "build/Program.h"
#include "support/Paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace heddle::transform {

inline uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// Text without the #include of one of our headers, at any position.
inline std::string withoutInclude(std::string text, const std::string &header) {
  const std::string include = "#include <heddle/" + header + ">\n";
  for (size_t at = text.find(include); at != std::string::npos; at = text.find(include))
    text.erase(at, include.size());
  return text;
}

/// Two forms of the same kernels, each with a function `launch(which, ...)`.
struct ComparedKernels {
  std::string header;            ///< of ours that the changed ones need
  std::string original, changed; ///< their text
  unsigned count = 0;            ///< of kernels
  int outputs = 0, inputs = 0;   ///< words of `out` and `in`
  std::string arguments;         ///< of launch behind `which`: "out, in"
};

/// A program that runs both forms of each kernel; its output names those that differ.
inline std::string comparingProgram(const ComparedKernels &kernels) {
  return fmt::format(R"(#include <heddle/{}>
#include <cstdio>
#include <vector>
namespace original {{
{}
}}
namespace changed {{
{}
}}
int main() {{
  const int outputs = {}, inputs = {};
  std::vector<unsigned> host(inputs), results[2];
  for (int i = 0; i < inputs; ++i)
    host[i] = i * 2246822519u + (i >> 3);
  unsigned *in, *out;
  cudaMalloc(&in, inputs * 4);
  cudaMalloc(&out, outputs * 4);
  cudaMemcpy(in, host.data(), inputs * 4, cudaMemcpyHostToDevice);
  for (int which = 0; which < {}; ++which) {{
    for (int form = 0; form < 2; ++form) {{
      cudaMemset(out, 0, outputs * 4);
      form ? changed::launch(which, {}) : original::launch(which, {});
      if (cudaDeviceSynchronize() != cudaSuccess) {{
        std::printf("failed %d\n", which);
        return 1;
      }}
      results[form].resize(outputs);
      cudaMemcpy(results[form].data(), out, outputs * 4, cudaMemcpyDeviceToHost);
    }}
    if (results[0] != results[1])
      std::printf("differs %d\n", which);
  }}
  std::printf("done\n");
}}
)",
                     kernels.header, kernels.original, kernels.changed, kernels.outputs, kernels.inputs,
                     kernels.count, kernels.arguments, kernels.arguments);
}

/// A failure where the program does not end with "done", with the text of `about` for the kernel that it names.
inline void expectDone(const std::string &text, const std::vector<std::string> &flags, unsigned seconds,
                       const std::function<std::string(size_t)> &about) {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "random.cu";
  std::ofstream(file) << text;
  if (const char *keep = std::getenv("HEDDLE_KEEP"))
    std::filesystem::copy_file(file, keep, std::filesystem::copy_options::overwrite_existing);

  build::ProgramOptions options;
  options.sources.files = {file};
  options.sources.flags = flags;
  options.compiler = build::Compiler::Clang;
  options.timeoutSeconds = seconds;
  Diagnostics diagnostics;
  build::Program program(options, diagnostics);
  ASSERT_TRUE(program.ok()) << program.messages();
  build::ProgramRun run = program.run({}, {}, build::Output::Captured);
  const std::string &output = run.execution.standardOutput;
  if (output == "done\n")
    return;
  size_t number = output.find_first_of("0123456789");
  ADD_FAILURE() << output
                << (number == std::string::npos ? "" : about(std::strtoul(&output[number], nullptr, 10)));
}

} // namespace heddle::transform
