// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random kernels of one warp whose shared accesses are fixed patterns compute the same with the array in
// registers. Many kernels share one file; the program runs each as it was and as it became, and compares.
//
// HEDDLE_SEED=N begins with that seed, as messages say it; HEDDLE_KERNELS=N sets how many are tried.
#include "transform/Collect.h"
#include "transform/Pipeline.h"
#include "transform/RandomProgram.h"
#include "transform/consolidate/Remap.h"

#include <random>

using namespace heddle;
using namespace heddle::transform;

namespace {

/// A kernel in steps between barriers, each of which only reads the array or only writes own elements.
class FixedPatterns {
public:
  FixedPatterns(uint64_t seed, std::string name) : random(seed), name(std::move(name)) {
    static const std::array<int, 2> shapes[] = {{32, 1}, {16, 2}, {8, 4}, {32, 1}};
    shape = shapes[below(4)];
    rows = 1 << below(4);
    if (below(4) == 0)
      rows = 3;
    static const char *const types[] = {"unsigned", "unsigned short", "unsigned long long", "unsigned char"};
    type = types[below(4)];
  }

  std::string write() {
    std::string text = fmt::format("__global__ void {}(unsigned *out, const unsigned *in) {{\n"
                                   "  __shared__ {} s[{}];\n  unsigned val[{}];\n",
                                   name, type, elements(), rows);
    text += step("val[k] = in[t]; s[t] = val[k] * 3 + 1;");
    for (unsigned i = 0, count = 3 + below(4); i < count; ++i)
      text += anyStep();
    return text + step("out[blockIdx.x * " + std::to_string(elements()) + " + t] = val[k] + s[t];") + "}\n";
  }

  std::string block() const { return fmt::format("dim3({}, {})", shape[0], shape[1]); }
  int elements() const { return 32 * rows; }

private:
  int below(int count) { return int(random() % count); }

  /// One statement for each of a lane's items, and a barrier.
  std::string step(const std::string &work) const {
    const std::string thread =
        shape[1] == 1
            ? std::string("const int t = threadIdx.x + k * 32;")
            : fmt::format("const int y = threadIdx.y + k * {1}; const int t = y * {0} + threadIdx.x;",
                          shape[0], shape[1]);
    return fmt::format("  #pragma unroll\n  for (unsigned k = 0; k < {}; ++k) {{\n    {}\n    {}\n  }}\n"
                       "  __syncwarp();\n",
                       rows, thread, work);
  }

  std::string anyStep() {
    const int n = elements(), distance = below(2 * n - 1) - n + 1;
    const std::string inside = fmt::format("t + {0} >= 0 && t + {0} < {1}", distance, n);
    switch (below(8)) {
    case 0: return step(fmt::format("s[t] = val[k] ^ {};", below(1000)));
    case 1: return step(fmt::format("if (in[t] & {}) s[t] += val[k];", 1 + below(7)));
    case 2: return step(fmt::format("if ({}) val[k] += s[t + {}];", inside, distance));
    case 3:
      return step(fmt::format("val[k] ^= in[t] % 3 && {} ? s[t + {}] : {};", inside, distance, below(9)));
    case 4: return step(fmt::format("{}val[k] += s[{}];", below(2) ? "if (in[t] & 1) " : "", below(n)));
    case 5:
      return step(
          fmt::format("const int from = {} && (in[t] & 2) ? t + {} : t; val[k] = val[k] * 5 + s[from];",
                      inside, distance));
    case 6: return scan();
    default: return tree();
    }
  }

  std::string tree() const {
    return fmt::format("  for (int half = {}; half > 0; half /= 2) {{\n{}  }}\n", elements() / 2,
                       step(fmt::format("if (t < half && t + half < {}) s[t] += s[t + half];", elements())));
  }

  std::string scan() const {
    return fmt::format("  for (unsigned d = 1; d < {}; d *= 2) {{\n  unsigned add[{}];\n{}{}  }}\n",
                       elements(), rows, step("add[k] = t >= d ? s[t - d] : 0;"), step("s[t] += add[k];"));
  }

  std::mt19937_64 random;
  std::string name, type;
  std::array<int, 2> shape;
  int rows;
};

std::string launchOf(const std::string &kernels, const std::vector<FixedPatterns> &all) {
  std::string text =
      kernels + "static void launch(int which, unsigned *out, const unsigned *in) {\n  switch (which) {\n";
  for (size_t i = 0; i < all.size(); ++i)
    text += fmt::format("  case {0}: k{0}<<<2, {1}>>>(out, in); break;\n", i, all[i].block());
  return text + "  }\n}\n";
}

/// Every kernel remapped; all must be, since all their accesses are fixed.
std::string remapped(const std::string &text, size_t kernels) {
  Options options;
  options.compile.cudaPath = "none";
  auto parsed = source::Program::parseText("random.cu", text, options.compile);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&parsed);
  if (!program) {
    ADD_FAILURE() << std::get<source::ParseFailure>(parsed).compilerMessages << text;
    return {};
  }
  source::Edits edits;
  for (size_t i = 0; i < kernels; ++i) {
    Target target{"k" + std::to_string(i), (*program)->kernelsNamed("k" + std::to_string(i))};
    Diagnostics diagnostics;
    const Directive directive = readDirectives("consolidate remap=on", diagnostics).at(0);
    Context context(**program, target, directive, options, diagnostics);
    EXPECT_TRUE(heddle::testing::collect(remapShared(context), edits))
        << target.name << ": " << diagnostics.all().front().text;
  }
  auto applied = edits.apply();
  if (auto *failed = std::get_if<Diagnostic>(&applied)) {
    ADD_FAILURE() << failed->text << " at line " << failed->location.line;
    return {};
  }
  std::string now = std::get<0>(applied).begin()->second;
  const std::string include = "#include <heddle/striped.cuh>\n";
  for (size_t at; (at = now.find(include)) != std::string::npos;)
    now.erase(at, include.size());
  return now;
}

const char *const comparison = R"(
int main() {
  const int most = 2 * 256;
  unsigned *in, *one, *other;
  cudaMallocManaged(&in, most * 4), cudaMallocManaged(&one, most * 4), cudaMallocManaged(&other, most * 4);
  for (int which = 0; which < kernels; ++which) {
    for (int i = 0; i < most; ++i)
      in[i] = (i + which) * 2654435761u >> 7, one[i] = other[i] = 0;
    before::launch(which, one, in);
    after::launch(which, other, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < most; ++i)
      if (one[i] != other[i])
        return std::printf("kernel %d differs at %d: %u, remapped %u\n", which, i, one[i], other[i]), 1;
  }
  std::puts("done");
}
)";

} // namespace

TEST(RemapProperty, RandomFixedPatternsComputeTheSameInRegisters) {
  const uint64_t seed = fromEnvironment("HEDDLE_SEED", 20261115);
  const size_t count = fromEnvironment("HEDDLE_KERNELS", 40);
  std::printf("HEDDLE_SEED=%llu HEDDLE_KERNELS=%zu\n", static_cast<unsigned long long>(seed), count);
  std::vector<FixedPatterns> all;
  std::vector<std::string> texts;
  std::string kernels;
  for (size_t i = 0; i < count; ++i) {
    all.emplace_back(seed + i, "k" + std::to_string(i));
    texts.push_back(all.back().write());
    kernels += texts.back();
  }
  const std::string text = launchOf(kernels, all);
  expectDone("#include <heddle/striped.cuh>\n#include <cstdio>\nnamespace before {\n" + text +
                 "}\nnamespace after {\n" + remapped(text, count) +
                 "}\nconstexpr int kernels = " + std::to_string(count) + ";\n" + comparison,
             {}, 300, [&](size_t i) { return texts.at(i); });
}
