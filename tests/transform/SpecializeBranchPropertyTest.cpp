// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels with kinds of work, specialized by their branch, compute what they did. Many kernels share
// one file, so that reading and compiling it is paid once: the program runs each kernel as it was and as it
// became, and compares.
//
// HEDDLE_KERNELS=N sets how many kernels are tried in all; HEDDLE_SEED=N is where they begin, as messages say
// it.
#include "source/Program.h"
#include "transform/Optimized.h"
#include "transform/RandomKinds.h"
#include "transform/RandomProgram.h"
#include "transform/specialize/SpecializeBranch.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::RandomKinds;

namespace {

constexpr unsigned kernelsInAFile = 100;

const char *const functions = R"(
static __device__ unsigned mixed(unsigned x) { return (x ^ (x >> 13)) * 2654435761u >> 3; }
)";

/// One file of kernels.
struct Batch {
  std::vector<std::string> kernels;
  std::string launches;
  unsigned specialized = 0;

  Batch(uint64_t seed, unsigned count) {
    std::mt19937_64 random(seed);
    for (unsigned i = 0; i < count; ++i) {
      RandomKinds kernel(random(), "k" + std::to_string(i));
      kernels.push_back(kernel.write());
      launches += fmt::format("  case {}: k{}<<<3, dim3({}, {})>>>(out, marks, in, {}); break;\n", i, i,
                              kernel.blockX, kernel.blockY, kernel.n);
    }
  }

  std::string original() const {
    std::string text = functions;
    for (const std::string &kernel : kernels)
      text += kernel;
    return text +
           "static void launch(int which, unsigned *out, unsigned *marks, const unsigned *in) {\n"
           "  switch (which) {\n" +
           launches + "  }\n}\n";
  }

  /// The same with every kernel specialized; the #include of what they need stands elsewhere.
  std::string changed() {
    Options options;
    options.compile.cudaPath = "none";
    Diagnostics reading;
    const Directive directive = readDirectives("specialize by=branch", reading).at(0);
    auto parsed = source::Program::parseText("random.cu", original(), options.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    if (!program) {
      ADD_FAILURE() << std::get<source::ParseFailure>(parsed).compilerMessages << original();
      return {};
    }
    source::Edits all;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string name = "k" + std::to_string(i);
      Target target{name, (*program)->kernelsNamed(name), 0};
      Diagnostics diagnostics;
      source::Edits edits;
      Context context(**program, target, directive, options, edits, diagnostics);
      EXPECT_TRUE(specializeByBranch(context)) << diagnostics.all().front().text << "\n" << kernels[i];
      specialized += !edits.empty();
      all.append(edits);
    }
    auto files = all.apply();
    if (auto *failed = std::get_if<Diagnostic>(&files)) {
      ADD_FAILURE() << failed->text << " at line " << failed->place.line;
      return {};
    }
    std::string text = std::get<0>(files).begin()->second;
    const std::string include = "#include <heddle/kinds.cuh>\n";
    for (size_t at = text.find(include); at != std::string::npos; at = text.find(include))
      text.erase(at, include.size());
    return text;
  }
};

/// Runs both forms of each kernel; its output names those that differ.
std::string programOf(const std::string &original, const std::string &changed, unsigned count) {
  return fmt::format(R"(#include <heddle/kinds.cuh>
#include <cstdio>
#include <vector>
namespace original {{
{}
}}
namespace changed {{
{}
}}
int main() {{
  const int size = {}, inputs = {};
  std::vector<unsigned> host(inputs), results[2];
  for (int i = 0; i < inputs; ++i)
    host[i] = i * 2246822519u + (i >> 3);
  unsigned *in, *out;
  cudaMalloc(&in, inputs * 4);
  cudaMalloc(&out, 2 * size * 4);
  cudaMemcpy(in, host.data(), inputs * 4, cudaMemcpyHostToDevice);
  for (int which = 0; which < {}; ++which) {{
    for (int form = 0; form < 2; ++form) {{
      cudaMemset(out, 0, 2 * size * 4);
      form ? changed::launch(which, out, out + size, in) : original::launch(which, out, out + size, in);
      if (cudaDeviceSynchronize() != cudaSuccess) {{
        std::printf("failed %d\n", which);
        return 1;
      }}
      results[form].resize(2 * size);
      cudaMemcpy(results[form].data(), out, 2 * size * 4, cudaMemcpyDeviceToHost);
    }}
    if (results[0] != results[1])
      std::printf("differs %d\n", which);
  }}
  std::printf("done\n");
}}
)",
                     original, changed, RandomKinds::items, RandomKinds::inputs, count);
}

} // namespace

TEST(SpecializeBranchProperty, RandomKernelsComputeTheSame) {
  uint64_t seed = fromEnvironment("HEDDLE_SEED", 7000);
  for (unsigned left = unsigned(fromEnvironment("HEDDLE_KERNELS", 200)); left > 0 && !HasFailure(); ++seed) {
    const unsigned count = std::min(left, kernelsInAFile);
    SCOPED_TRACE(fmt::format("HEDDLE_SEED={} HEDDLE_KERNELS={}", seed, count));
    std::printf("seed %llu, %u kernels\n", static_cast<unsigned long long>(seed), count);
    std::fflush(stdout);
    Batch batch(seed, count);
    const std::string changed = batch.changed();
    if (changed.empty())
      return;
    EXPECT_EQ(batch.specialized, count) << "some kernels stayed as they were, and show nothing";
    // Optimization is not what is tried here, and compiling takes a third of the time without it.
    expectDone(programOf(batch.original(), changed, count), {"-O0"}, 60,
               [&](size_t i) { return batch.kernels.at(i); });
    left -= count;
  }
}
