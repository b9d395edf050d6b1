// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels, coarsened at random, compute what they did. Many kernels share one file, so that reading
// and compiling it is paid once: the program runs each kernel as it was and as it became, and compares.
//
// 500 kernels in four tests, which run side by side where there are cores. HEDDLE_KERNELS=N sets how many
// kernels are tried in all (`make matrix`: 2,000); HEDDLE_SEED=N tries them in one test, beginning with that
// seed, as messages say it.
#include "transform/Collect.h"
#include "transform/Pipeline.h"
#include "transform/RandomKernel.h"
#include "transform/RandomProgram.h"
#include "transform/coarsen/Coarsen.h"

#include <cstdlib>
#include <optional>
#include <set>

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::RandomKernel;

namespace {

constexpr unsigned tests = 4;
/// Analyses look through the whole file for each kernel: four files take half the time of one.
constexpr unsigned kernelsInAFile = 32;
constexpr unsigned blocks = 3;

const char *const functions = R"(
static __device__ unsigned mixed(unsigned x) { return (x ^ (x >> 3)) * 2654435761u; }
static __device__ unsigned withIndex(unsigned x) { return x + threadIdx.x * 3u + blockDim.x; }
)";

/// One file of kernels, with what is done to each.
class Batch {
public:
  Batch(uint64_t seed, unsigned count) : random(seed) {
    for (unsigned i = 0; i < count; ++i) {
      RandomKernel kernel(random(), "k" + std::to_string(i));
      kernel.hasNoBarriers = i % 8 == 7; // blocks of few kernels can be merged
      texts.push_back(kernel.write());
      shapes.push_back({kernel.blockX, kernel.blockY});
      directives.push_back(directiveFor(kernel));
      grids.push_back(i % 16 == 7 ? "gridBlocks" : std::to_string(blocks));
    }
  }

  /// The kernels and a function that launches the one with a given number.
  std::string original() const {
    std::string text = functions;
    for (const std::string &kernel : texts)
      text += kernel;
    text += "static void launch(int which, unsigned *out, const unsigned *in) {\n";
    text += fmt::format("  const unsigned gridBlocks = out ? {} : 1; // known at run time only\n", blocks);
    text += "  switch (which) {\n";
    for (size_t i = 0; i < texts.size(); ++i)
      text += fmt::format("  case {}: k{}<<<{}, dim3({}, {})>>>(out, in, {}); break;\n", i, i, grids[i],
                          shapes[i].first, shapes[i].second, i % 5);
    return text + "  }\n}\n";
  }

  /// The same after all directives; a kernel that one was refused for is not changed.
  std::string coarsened() {
    Options options;
    options.compile.cudaPath = "none";
    std::string text = original();
    for (;;) {
      auto parsed = source::Program::parseText("random.cu", text, options.compile);
      auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
      if (!program) {
        ADD_FAILURE() << std::get<source::ParseFailure>(parsed).compilerMessages << text;
        return {};
      }
      if (source::Edits edits = normalizations(**program, options); !edits.empty()) {
        text = applied(edits);
        continue;
      }
      std::optional<source::Edits> edits;
      while (!edits)
        edits = tryAll(**program, options);
      // Refusals may be more careful than they need be, but a test of refusals shows nothing.
      EXPECT_LE(refused.size() * 10, texts.size()) << "too many kernels are refused";
      return applied(*edits);
    }
  }

  /// What is to be shown of a kernel that came out wrong.
  std::string about(size_t i) const { return directives.at(i) + "\n" + texts.at(i); }

private:
  static std::string applied(const source::Edits &edits) {
    auto files = edits.apply();
    if (auto *failed = std::get_if<Diagnostic>(&files)) {
      ADD_FAILURE() << failed->text << " at line " << failed->location.line;
      return {};
    }
    return std::get<0>(files).begin()->second;
  }

  /// What is to be done to the kernels before they are coarsened.
  source::Edits normalizations(const source::Program &program, const Options &options) const {
    source::Edits edits;
    for (size_t i = 0; i < texts.size(); ++i) {
      Target target{"k" + std::to_string(i), program.kernelsNamed("k" + std::to_string(i)), 0};
      Diagnostics diagnostics;
      Directive directive = readDirectives(directives[i], diagnostics).at(0);
      Context context(program, target, directive, options, diagnostics);
      if (std::optional<Needs> needed = formToCoarsen(context))
        if (auto *wanted = std::get_if<source::Edits>(&needed->change))
          edits.append(*wanted);
    }
    return edits;
  }

  /// The edits for all kernels but those known to be refused; nothing where one more is.
  std::optional<source::Edits> tryAll(const source::Program &program, const Options &options) {
    source::Edits edits;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (refused.count(i))
        continue;
      Target target{"k" + std::to_string(i), program.kernelsNamed("k" + std::to_string(i)), 0};
      Diagnostics diagnostics;
      Directive directive = readDirectives(directives[i], diagnostics).at(0);
      Context context(program, target, directive, options, diagnostics);
      if (heddle::testing::collect(coarsen(context), edits))
        continue;
      std::printf("k%zu refused: %s\n", i, diagnostics.all().front().text.c_str());
      refused.insert(i);
      return std::nullopt;
    }
    return edits;
  }

  std::string directiveFor(const RandomKernel &kernel) {
    static const unsigned factors[] = {1, 2, 4, 8, 16};
    unsigned x = 1, y = 1;
    while (x * y == 1) {
      x = factors[random() % 5];
      y = kernel.blockY > 1 ? factors[random() % 4] : 1;
      x = kernel.blockX % x ? 1 : x;
      y = kernel.blockY % y ? 1 : y;
    }
    const std::string map = random() % 2 ? "blocked" : "interleaved";
    if (!kernel.hasNoBarriers)
      return fmt::format("coarsen x={} y={} map={}", x, y, map);
    static const unsigned gridFactors[] = {2, blocks, 4};
    return fmt::format("coarsen x={} grid={} map={}", random() % 2 ? x : 1, gridFactors[random() % 3], map);
  }

  std::mt19937_64 random;
  std::vector<std::string> texts, directives, grids;
  std::set<size_t> refused;
  std::vector<std::pair<unsigned, unsigned>> shapes;
};

/// Runs both forms of each kernel; its output names those that differ.
std::string programOf(const std::string &original, const std::string &coarsened, unsigned count) {
  return fmt::format(R"(#include <cstdio>
#include <cstring>
#include <vector>
namespace original {{
{}
}}
namespace coarsened {{
{}
}}
int main() {{
  const int size = 128 * {};
  std::vector<unsigned> host(size), results[2] = {{std::vector<unsigned>(size), std::vector<unsigned>(size)}};
  for (int i = 0; i < size; ++i)
    host[i] = i * 2246822519u + (i >> 3);
  unsigned *in, *out;
  cudaMalloc(&in, size * 4);
  cudaMalloc(&out, size * 4);
  cudaMemcpy(in, host.data(), size * 4, cudaMemcpyHostToDevice);
  for (int which = 0; which < {}; ++which) {{
    for (int form = 0; form < 2; ++form) {{
      cudaMemset(out, 0, size * 4);
      form ? coarsened::launch(which, out, in) : original::launch(which, out, in);
      if (cudaDeviceSynchronize() != cudaSuccess) {{
        std::printf("failed %d\n", which);
        return 1;
      }}
      cudaMemcpy(results[form].data(), out, size * 4, cudaMemcpyDeviceToHost);
    }}
    if (std::memcmp(results[0].data(), results[1].data(), size * 4))
      std::printf("differs %d\n", which);
  }}
  std::printf("done\n");
}}
)",
                     original, coarsened, blocks, count);
}

void tryBatch(uint64_t seed, unsigned count) {
  SCOPED_TRACE(fmt::format("HEDDLE_SEED={} HEDDLE_KERNELS={}", seed, count));
  Batch batch(seed, count);
  std::string coarsened = batch.coarsened();
  if (coarsened.empty())
    return;
  // Optimization is not what is tried here, and compiling takes a third of the time without it.
  expectDone(programOf(batch.original(), coarsened, count), {"-O0"}, 60,
             [&](size_t i) { return batch.about(i); });
}

} // namespace

class CoarsenProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(CoarsenProperty, RandomKernelsComputeTheSame) {
  const bool isReplay = std::getenv("HEDDLE_SEED") != nullptr;
  if (isReplay && GetParam() > 0)
    GTEST_SKIP() << "HEDDLE_SEED asks for one run";
  uint64_t seed = fromEnvironment("HEDDLE_SEED", 5000 + 1000 * GetParam());
  unsigned left = unsigned(fromEnvironment("HEDDLE_KERNELS", 500)) / (isReplay ? 1 : tests);
  for (; left > 0 && !HasFailure(); ++seed) {
    unsigned count = std::min(left, kernelsInAFile);
    std::printf("seed %llu, %u kernels\n", static_cast<unsigned long long>(seed), count);
    std::fflush(stdout);
    tryBatch(seed, count);
    left -= count;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CoarsenProperty, ::testing::Range(0u, tests));
