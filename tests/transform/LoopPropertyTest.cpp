// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random loops, each with a random directive: what comes out computes what went in, or the directive is
// refused. Refused or right, never wrong; and enough of them are not refused. Many kernels share one file, so
// that reading and compiling it is paid once: the program runs each kernel as it was and as it became, and
// compares.
//
// HEDDLE_SEED=N replays one run, HEDDLE_KERNELS=N sets how many kernels are tried.
#include "transform/Collect.h"
#include "transform/Pipeline.h"
#include "transform/RandomLoops.h"
#include "transform/RandomProgram.h"
#include "transform/loops/Branchless.h"
#include "transform/loops/Distribute.h"
#include "transform/loops/Fuse.h"
#include "transform/loops/Interchange.h"
#include "transform/loops/UnrollJam.h"

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::RandomLoops;

namespace {

constexpr unsigned kernelsInAFile = 75; // of which analyses look at all for each
/// Of all kernels tried, and of those for each directive. Many that are made cannot be done: most two random
/// loops do not change places unharmed.
constexpr unsigned leastDonePercent = 30, leastOfEachPercent = 15;

struct Share {
  unsigned tried = 0, done = 0;
};

/// One file of kernels, with what is done to each.
class Batch {
public:
  Batch(uint64_t seed, unsigned count) : random(seed) {
    for (unsigned i = 0; i < count; ++i) {
      RandomLoops kernel(random(), "k" + std::to_string(i));
      texts.push_back(kernel.write());
      directives.push_back(kernel.directive);
      overlaps.push_back(kernel.overlaps);
      targetLines.push_back(lines + kernel.targetLine + 1);
      lines += unsigned(std::count(texts.back().begin(), texts.back().end(), '\n'));
    }
  }

  std::string original() const {
    std::string text;
    for (const std::string &kernel : texts)
      text += kernel;
    text += "static void launch(int which, unsigned *a, unsigned *b, const unsigned *c, float *f, int n) {\n"
            "  switch (which) {\n";
    for (size_t i = 0; i < texts.size(); ++i)
      text += fmt::format("  case {}: k{}<<<1, 4>>>(a, {}, c, f, n); break;\n", i, i,
                          overlaps[i] ? "a + 3" : "b");
    return text + "  }\n}\n";
  }

  /// The same after all directives; a kernel that one was refused for is not changed.
  std::string changed(std::map<std::string, Share> &shares) {
    Options options;
    options.compile.cudaPath = "none";
    auto parsed = source::Program::parseText("random.cu", original(), options.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    if (!program) {
      ADD_FAILURE() << std::get<source::ParseFailure>(parsed).compilerMessages;
      return {};
    }
    source::Edits edits;
    for (size_t i = 0; i < texts.size(); ++i)
      change(**program, i, options, edits, shares);
    auto applied = edits.apply();
    if (auto *failed = std::get_if<Diagnostic>(&applied)) {
      ADD_FAILURE() << failed->text << " at line " << failed->location.line;
      return {};
    }
    return std::get<0>(applied).begin()->second;
  }

  /// What is to be shown of a kernel that came out wrong.
  std::string about(size_t i) const { return directives.at(i) + "\n" + texts.at(i); }

private:
  void change(const source::Program &program, size_t i, const Options &options, source::Edits &edits,
              std::map<std::string, Share> &shares) {
    static const std::map<std::string, Transform> transforms = {{"branchless", makeBranchless},
                                                                {"distribute", distributeLoop},
                                                                {"fuse", fuseLoops},
                                                                {"interchange", interchangeLoops},
                                                                {"unroll-jam", unrollAndJam}};
    std::string name = "k" + std::to_string(i);
    Target target{name, program.kernelsNamed(name), targetLines[i], false};
    Diagnostics diagnostics;
    Directive directive = readDirectives(directives[i], diagnostics).at(0);
    Context context(program, target, directive, options, diagnostics);
    Share &share = shares[directive.name];
    ++share.tried;
    share.done += heddle::testing::collect(transforms.at(directive.name)(context), edits);
    if (std::getenv("HEDDLE_REFUSALS") && diagnostics.has(Severity::Refusal))
      std::printf("%s line %u: %s\n", name.c_str(), diagnostics.all().front().location.line,
                  diagnostics.all().front().text.c_str());
  }

  std::mt19937_64 random;
  std::vector<std::string> texts, directives;
  std::vector<bool> overlaps;
  std::vector<unsigned> targetLines;
  unsigned lines = 0;
};

/// Runs both forms of each kernel; its output names those that differ.
std::string programOf(const std::string &original, const std::string &changed, unsigned count) {
  return fmt::format(R"(#include <cstdio>
#include <cstring>
#include <vector>
namespace original {{
{}
}}
namespace changed {{
{}
}}
int main() {{
  const int size = 4 * {};
  std::vector<unsigned> start(2 * size), result[2];
  std::vector<float> sums(size), resultSums[2];
  for (int i = 0; i < 2 * size; ++i)
    start[i] = i * 2246822519u + (i >> 3);
  for (int i = 0; i < size; ++i) // of all sizes, so that the order of additions shows
    sums[i] = (i * 7919 % 1000 - 500) * (i % 3 == 0 ? 1e-4f : i % 3 == 1 ? 1.0f : 1e4f);
  unsigned *memory, *constant;
  float *f;
  cudaMalloc(&memory, 2 * size * 4);
  cudaMalloc(&constant, size * 4);
  cudaMalloc(&f, size * 4);
  cudaMemcpy(constant, start.data(), size * 4, cudaMemcpyHostToDevice);
  for (int which = 0; which < {}; ++which)
    for (int n : {{which % 5, 5 + which % 9}}) {{
      for (int form = 0; form < 2; ++form) {{
        cudaMemcpy(memory, start.data(), 2 * size * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(f, sums.data(), size * 4, cudaMemcpyHostToDevice);
        (form ? changed::launch : original::launch)(which, memory, memory + size, constant, f, n);
        if (cudaDeviceSynchronize() != cudaSuccess) {{
          std::printf("failed %d form %d: %s\n", which, form, cudaGetErrorString(cudaGetLastError()));
          return 1;
        }}
        result[form].resize(2 * size);
        resultSums[form].resize(size);
        cudaMemcpy(result[form].data(), memory, 2 * size * 4, cudaMemcpyDeviceToHost);
        cudaMemcpy(resultSums[form].data(), f, size * 4, cudaMemcpyDeviceToHost);
      }}
      if (std::memcmp(result[0].data(), result[1].data(), 2 * size * 4) ||
          std::memcmp(resultSums[0].data(), resultSums[1].data(), size * 4))
        std::printf("differs %d with n = %d\n", which, n);
    }}
  std::printf("done\n");
}}
)",
                     original, changed, RandomLoops::stretch, count);
}

void tryBatch(uint64_t seed, unsigned count, std::map<std::string, Share> &shares) {
  SCOPED_TRACE(fmt::format("HEDDLE_SEED={} HEDDLE_KERNELS={}", seed, count));
  Batch batch(seed, count);
  std::string changed = batch.changed(shares);
  if (changed.empty())
    return;
  expectDone(programOf(batch.original(), changed, count), {"-O1", "-ffp-contract=off"}, 120,
             [&](size_t i) { return batch.about(i); });
}

} // namespace

TEST(LoopProperty, RandomLoopsAreRefusedOrComputeTheSame) {
  uint64_t seed = fromEnvironment("HEDDLE_SEED", 7000);
  unsigned left = unsigned(fromEnvironment("HEDDLE_KERNELS", 450)), tried = left;
  std::map<std::string, Share> shares;
  for (; left > 0 && !HasFailure(); ++seed) {
    unsigned count = std::min(left, kernelsInAFile);
    std::printf("seed %llu, %u kernels\n", static_cast<unsigned long long>(seed), count);
    std::fflush(stdout);
    tryBatch(seed, count, shares);
    left -= count;
  }
  unsigned done = 0;
  for (const auto &[name, share] : shares) {
    std::printf("%s: %u of %u done\n", name.c_str(), share.done, share.tried);
    done += share.done;
    if (tried >= kernelsInAFile)
      EXPECT_GE(share.done * 100, share.tried * leastOfEachPercent) << name << " is refused too often";
  }
  if (tried >= kernelsInAFile)
    EXPECT_GE(done * 100, tried * leastDonePercent) << "too many are refused";
}
