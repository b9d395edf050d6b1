// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels over tiles, specialized in random ways, compute what they did. Many kernels share one file,
// so that reading and compiling it is paid once: the program runs each kernel as it was and as it became, and
// compares.
//
// HEDDLE_KERNELS=N sets how many kernels are tried in all; HEDDLE_SEED=N is where they begin, as messages say
// it.
#include "source/Program.h"
#include "transform/Collect.h"
#include "transform/Pipeline.h"
#include "transform/RandomProgram.h"
#include "transform/RandomTiles.h"
#include "transform/specialize/SpecializeTiles.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::RandomTiles;

namespace {

constexpr unsigned kernelsInAFile = 60;

/// One file of kernels.
struct Batch {
  std::vector<std::string> kernels;
  std::vector<std::string> ways;
  std::string launches;
  unsigned asAsked = 0; ///< specialized in the way that was drawn, not in one that is always legal

  Batch(uint64_t seed, unsigned count) {
    std::mt19937_64 random(seed);
    const char *const pairs[] = {"copy=ld barrier=named", "copy=ld barrier=mbarrier",
                                 "copy=cpasync barrier=named", "copy=cpasync barrier=mbarrier",
                                 "copy=bulk barrier=mbarrier"};
    for (unsigned i = 0; i < count; ++i) {
      RandomTiles kernel(random(), "k" + std::to_string(i));
      kernels.push_back(kernel.write());
      launches += fmt::format("  case {0}: k{0}<<<2, dim3({1}, {2})>>>(out, in, {3}); break;\n", i,
                              kernel.blockX, kernel.blockY, kernel.n);
      ways.push_back(fmt::format("specialize {} buffers={} producers={}", pairs[random() % 5],
                                 1 + random() % 4, 1 + random() % 4));
    }
  }

  std::string original() const {
    std::string text;
    for (const std::string &kernel : kernels)
      text += kernel;
    return text + "static void launch(int which, unsigned *out, const unsigned *in) {\n  switch (which) {\n" +
           launches + "  }\n}\n";
  }

  /// The same with every kernel specialized; the #include of what they need is elsewhere.
  std::string changed() {
    Options options;
    options.compile.cudaPath = "none";
    auto parsed = source::Program::parseText("random.cu", original(), options.compile);
    auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
    if (!program) {
      ADD_FAILURE() << std::get<source::ParseFailure>(parsed).compilerMessages << original();
      return {};
    }
    source::Edits all;
    for (size_t i = 0; i < kernels.size(); ++i) {
      Diagnostics messages;
      asAsked += specialize(**program, i, ways[i], options, all, messages);
      // A copy that does not suit the load is refused rightly; loads by registers always do.
      const bool isOfCopy =
          !messages.empty() && messages.all().front().text.find("cannot make this load") != std::string::npos;
      if (!messages.empty() && isOfCopy)
        EXPECT_TRUE(specialize(**program, i, "specialize copy=ld barrier=mbarrier buffers=3 producers=1",
                               options, all, messages))
            << messages.all().back().text << "\n"
            << kernels[i];
      else
        EXPECT_TRUE(messages.empty()) << messages.all().front().text << "\n" << kernels[i];
    }
    auto files = all.apply();
    if (auto *failed = std::get_if<Diagnostic>(&files)) {
      ADD_FAILURE() << failed->text << " at line " << failed->location.line;
      return {};
    }
    return withoutInclude(std::get<0>(files).begin()->second, "pipeline.cuh");
  }

  /// `refused` gets the refusal, where there is one.
  bool specialize(const source::Program &program, size_t i, const std::string &way, const Options &options,
                  source::Edits &all, Diagnostics &refused) const {
    Diagnostics reading, diagnostics;
    const Directive directive = readDirectives(way, reading).at(0);
    const std::string name = "k" + std::to_string(i);
    Target target{name, program.kernelsNamed(name), 0};
    Context context(program, target, directive, options, diagnostics);
    const bool done = heddle::testing::collect(specializeTiles(context), all);
    if (!done)
      refused.refuse({}, diagnostics.all().front().text);
    return done;
  }
};

} // namespace

TEST(SpecializeTilesProperty, RandomKernelsComputeTheSame) {
  uint64_t seed = fromEnvironment("HEDDLE_SEED", 9000);
  for (unsigned left = unsigned(fromEnvironment("HEDDLE_KERNELS", 60)); left > 0 && !HasFailure(); ++seed) {
    const unsigned count = std::min(left, kernelsInAFile);
    SCOPED_TRACE(fmt::format("HEDDLE_SEED={} HEDDLE_KERNELS={}", seed, count));
    std::printf("seed %llu, %u kernels\n", static_cast<unsigned long long>(seed), count);
    std::fflush(stdout);
    Batch batch(seed, count);
    const std::string changed = batch.changed();
    if (changed.empty())
      return;
    EXPECT_GT(batch.asAsked, count / 3) << "most kernels were specialized in one way only";
    expectDone(comparingProgram({"pipeline.cuh", batch.original(), changed, count, RandomTiles::items,
                                 RandomTiles::inputs, "out, in"}),
               {"-O0"}, 120, [&](size_t i) { return batch.ways.at(i) + "\n" + batch.kernels.at(i); });
    left -= count;
  }
}
