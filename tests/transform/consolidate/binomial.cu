// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binomial options: a block prices one call option by walking a tree of 256 leaves back to its root.
//
// For consolidation: 255 steps with two barriers each, and every load is the own element or the next one:
// eight registers per lane and a shuffle from the next lane, which at lane 31 comes from the next register. The
// branch 'node < level' differs by lane, so the shuffle has to precede it.
#include "Harness.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int Steps = 255;
constexpr int Threads = Steps + 1; // a leaf each

struct Option {
  float price, strike;
  float logStep;  // logarithm of one move up
  float up, down; // probabilities of a move, discounted by a step
};

__device__ float payoff(const Option &option, int node) {
  const float price = option.price * expf(option.logStep * float(2 * node - Steps));
  return fmaxf(price - option.strike, 0.0f);
}

__global__ void binomialOptions(float *prices, const Option *options) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ float values[Threads];
  const Option option = options[blockIdx.x];
  const int node = threadIdx.x;

  values[node] = payoff(option, node);
  block.sync();
  for (int level = Steps; level > 0; --level) {
    float value = 0;
    if (node < level)
      value = option.up * values[node + 1] + option.down * values[node];
    block.sync();
    if (node < level)
      values[node] = value;
    block.sync();
  }

  if (node == 0)
    prices[blockIdx.x] = values[0];
}

static Option makeOption(Numbers &numbers) {
  const float years = numbers.between(0.25f, 5), rate = 0.03f, volatility = numbers.between(0.1f, 0.4f);
  const float step = years / Steps, logStep = volatility * std::sqrt(step);
  const float growth = std::exp(rate * step), u = std::exp(logStep), d = 1 / u;
  const float up = (growth - d) / (u - d);
  return {numbers.between(20, 60), numbers.between(20, 60), logStep, up / growth, (1 - up) / growth};
}

static double price(const Option &option) {
  double values[Threads];
  for (int node = 0; node < Threads; ++node)
    values[node] =
        std::fmax(option.price * std::exp(double(option.logStep) * (2 * node - Steps)) - option.strike, 0.0);
  for (int level = Steps; level > 0; --level)
    for (int node = 0; node < level; ++node)
      values[node] = option.up * values[node + 1] + option.down * values[node];
  return values[0];
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 5);
  Numbers numbers(2);
  std::vector<Option> options(count);
  for (Option &option : options)
    option = makeOption(numbers);

  Option *deviceOptions = toDevice(options);
  float *prices = zeros<float>(count);
  binomialOptions<<<count, Threads>>>(prices, deviceOptions);
  const std::vector<float> got = toHost(prices, count);

  const auto wanted = [&](size_t i) { return price(options[i]); };
  return verdict("binomial", got, agree(got, wanted, 1e-4, 10000));
}
