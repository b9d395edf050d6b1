// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the host's kernels of a generated folder, one thread. Compiled by `host`, with PREFIX, SPECIES and
// HEADER.
#include HEADER
#include "selftest_data.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

namespace {

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

constexpr size_t points = 4096;
constexpr int runs = 25;
std::vector<double> t(points), p(points), x(SPECIES *points), result(SPECIES *points);

template <class Run> void measure(const char *name, Run run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const double begin = seconds();
    run(points, points, t.data(), p.data(), x.data(), result.data(), 1);
    times.push_back((seconds() - begin) / points * 1e6);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-14s best %6.3f  median %6.3f us per point\n", name, times.front(), times[runs / 2]);
}

} // namespace

int main() {
  for (size_t i = 0; i < points; ++i) {
    t[i] = givenTemperature[i % states];
    p[i] = givenPressure[i % states];
    for (size_t k = 0; k < SPECIES; ++k)
      x[k * points + i] = givenMoleFractions[k * states + i % states];
  }
  measure("chemistry", JOIN(PREFIX, _chemistry_cpu));
  measure("viscosity", JOIN(PREFIX, _viscosity_cpu));
  measure("conductivity", JOIN(PREFIX, _conductivity_cpu));
  measure("diffusion", JOIN(PREFIX, _diffusion_cpu));
}
