// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator beside PoCL and beside loops of the host, each kernel on all of them in turns:
//
//     heddle_vm_compare FOLDER CORES ROUNDS [KERNEL...]
//
// FOLDER has the kernels (.ptx, .cl). Prints one line of tab-separated values per kernel. On one core, times are processor
// times, since others may use the machine; on several, the clock's. Exit code 1: results differ.
#include "Agreement.h"
#include "Engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace {

using namespace heddle::bench;

constexpr Case (*AllCases[])() = {
#define CASE(NAME) NAME##Case,
#include "Cases.def"
#undef CASE
};

double now(unsigned cores) {
  if (cores > 1)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return double(std::clock()) / CLOCKS_PER_SEC;
}

double secondsOf(Engine &engine, unsigned cores) {
  engine.reset();
  const double start = now(cores);
  engine.run();
  return now(cores) - start;
}

/// The value below which a portion of the values is.
double quantile(std::vector<double> values, double portion) {
  std::sort(values.begin(), values.end());
  return values[size_t(portion * double(values.size() - 1) + 0.5)];
}

struct Ratio {
  std::vector<double> perRound;
  std::string text() const {
    if (perRound.empty())
      return "-\t-";
    return fmt::format("{:.2f}\t{:.2f}-{:.2f}", quantile(perRound, 0.5), quantile(perRound, 0.25),
                       quantile(perRound, 0.75));
  }
};

bool agree(const Case &what, Engine &mine, Engine &other, const char *name) {
  for (size_t i = 0; i < what.arguments.size(); ++i)
    if (what.arguments[i].isResult)
      if (std::string text = difference(what.arguments[i], mine.read(i), other.read(i)); !text.empty()) {
        fmt::print(stderr, "{}: the simulator and {} disagree: {}\n", what.name, name, text);
        return false;
      }
  return true;
}

/// False if results differ.
bool compare(const Case &what, const std::string &folder, unsigned cores, unsigned rounds) {
  std::string whyNot;
  auto simulator = simulatorEngine(what, cores, folder);
  auto native = nativeEngine(what, cores);
  auto openCl = openClEngine(what, folder, whyNot);
  if (!openCl)
    fmt::print(stderr, "{}: OpenCL skipped: {}\n", what.name, whyNot);
  for (Engine *each : {simulator.get(), native.get(), openCl.get()})
    if (each)
      secondsOf(*each, cores); // compiles, and warms caches
  const bool same = agree(what, *simulator, *native, "the host's loop") &&
                    (!openCl || agree(what, *simulator, *openCl, "OpenCL"));
  std::vector<double> seconds;
  Ratio toOpenCl, toNative;
  for (unsigned round = 0; round < rounds; ++round) {
    seconds.push_back(secondsOf(*simulator, cores));
    toNative.perRound.push_back(seconds.back() / secondsOf(*native, cores));
    if (openCl)
      toOpenCl.perRound.push_back(seconds.back() / secondsOf(*openCl, cores));
  }
  const double instructions = double(simulator->threadInstructions());
  fmt::print("{}\t{}\t{:.1f}\t{:.3f}\t{}\t{}\t{}\n", what.name, cores, instructions * 1e-6,
             instructions / quantile(seconds, 0.5) * 1e-9, toOpenCl.text(), toNative.text(),
             same ? "yes" : "NO");
  std::fflush(stdout);
  return same;
}

} // namespace

int main(int count, char **words) {
  if (count < 4) {
    fmt::print(stderr, "usage: {} FOLDER CORES ROUNDS [KERNEL...]\n", words[0]);
    return 2;
  }
  const unsigned cores = unsigned(std::max(1, atoi(words[2]))),
                 rounds = unsigned(std::max(1, atoi(words[3])));
  limitOpenCl(cores);
  bool same = true;
  for (Case (*make)() : AllCases) {
    const Case what = make();
    if (count == 4 || std::find(words + 4, words + count, what.name) != words + count)
      same &= compare(what, words[1], cores, rounds);
  }
  return same ? 0 : 1;
}
