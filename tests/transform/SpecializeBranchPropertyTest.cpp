// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels with kinds of work, specialized by their branch, compute what they did. Many kernels share
// one file, so that reading and compiling it is paid once: the program runs each kernel as it was and as it
// became, and compares.
//
// HEDDLE_KERNELS=N sets how many kernels are tried in all; HEDDLE_SEED=N is where they begin, as messages say
// it.
#include "source/Program.h"
#include "transform/Collect.h"
#include "transform/Pipeline.h"
#include "transform/RandomKinds.h"
#include "transform/RandomProgram.h"
#include "transform/specialize/SpecializeBranch.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::RandomKinds;

namespace {

constexpr unsigned kernelsInAFile = 25; // of which analyses look at all for each

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

  /// The same with every kernel specialized; the #include of what they need is elsewhere.
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
      Context context(**program, target, directive, options, diagnostics);
      EXPECT_TRUE(heddle::testing::collect(specializeByBranch(context), edits))
          << diagnostics.all().front().text << "\n"
          << kernels[i];
      specialized += !edits.empty();
      all.append(edits);
    }
    auto files = all.apply();
    if (auto *failed = std::get_if<Diagnostic>(&files)) {
      ADD_FAILURE() << failed->text << " at line " << failed->location.line;
      return {};
    }
    return withoutInclude(std::get<0>(files).begin()->second, "kinds.cuh");
  }
};

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
    expectDone(comparingProgram({"kinds.cuh", batch.original(), changed, count, 2 * RandomKinds::items,
                                 RandomKinds::inputs, fmt::format("out, out + {}, in", RandomKinds::items)}),
               {"-O0"}, 60, [&](size_t i) { return batch.kernels.at(i); });
    left -= count;
  }
}
