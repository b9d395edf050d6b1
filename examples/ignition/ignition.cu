// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ignition of hydrogen in air in closed vessels: constant volume, adiabatic, one vessel per point, each with its own initial
// temperature. `heddle chem examples/hydrogen` generates the function that computes production rates; this program is the loop
// around it, like the chemistry step of a flow solver.
//
//     ignition THERM.DAT [POINTS [MICROSECONDS [STEPS [TRACE.json]]]]
//
// The state of a point is its concentrations C and its temperature T. At constant volume
//
//     dC_k/dt = w_k                           w: net production rates, kmol/m3/s, from the generated kernel
//     dT/dt   = - sum w_k u_k / sum C_k cv_k  u, cv: internal energy and heat capacity, from therm.dat
//
// The method is explicit: Runge-Kutta-Chebyshev of second order (Sommeijer, Shampine and Verwer, 1998), whose stages extend the
// stable step along the negative real axis: s stages allow steps of about 0.65 s^2 / lambda, where lambda is the largest inverse
// time scale of the mechanism; here it is that of H2O2 (+M) = 2 OH (+M), about 1e9 1/s.
//
// At the end the program checks what the equations conserve: atoms of each element, and the internal energy. TRACE.json gets states
// along the way with the rates that the kernel computed, in the form that `heddle chem --evaluate` reads.
#include "hydrogen.h"
#include "rkc.h"
#include "thermo.h"

#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>

constexpr int Species = HYDROGEN_SPECIES;
constexpr int Rows = Species + 1; // of a state: concentrations, and the temperature in the last row
constexpr int Stages = 12;
constexpr double OneAtmosphere = 101325.0;

#define CHECK(call) check(call, __LINE__)
static void check(cudaError_t error, int line) {
  if (error == cudaSuccess)
    return;
  std::printf("line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(2);
}

__constant__ Nasa7 thermo[Species];

/// Arrays on the device. Row k of point p is at [k * points + p], as the generated functions expect.
struct Fields {
  size_t points;
  double *state;                        // Y(j-1), which becomes Y(j)
  double *before, *start, *startSlope;  // Y(j-2), and Y(0) with its derivative
  double *pressure, *fractions, *rates; // of `state`
  double *steepest, *delay;             // the largest dT/dt so far, and when it was
};

/// Pressure and mole fractions of the state.
__device__ void setMixture(const Fields &f, size_t p) {
  double total = 0;
  for (int k = 0; k < Species; ++k)
    total += f.state[k * f.points + p];
  for (int k = 0; k < Species; ++k)
    f.fractions[k * f.points + p] = f.state[k * f.points + p] / total;
  f.pressure[p] = total * gasConstant * f.state[Species * f.points + p];
}

__global__ void mixture(Fields f) {
  const size_t p = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (p < f.points)
    setMixture(f, p);
}

__device__ double temperatureSlope(const Fields &f, size_t p) {
  const double t = f.state[Species * f.points + p];
  double heat = 0, capacity = 0;
  for (int k = 0; k < Species; ++k) {
    heat -= f.rates[k * f.points + p] * thermo[k].internalEnergy(t);
    capacity += f.state[k * f.points + p] * (thermo[k].heatCapacity(t) - gasConstant);
  }
  return heat / capacity;
}

/// One stage of a step; `stage` counts from 1, and `rates` are those of the state that the stage begins with.
__global__ void advance(Fields f, int stage, RkcStage c, double dt, double time) {
  const size_t p = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (p >= f.points)
    return;
  const double slope = temperatureSlope(f, p);
  if (stage == 1 && slope > f.steepest[p]) {
    f.steepest[p] = slope;
    f.delay[p] = time;
  }
  for (int k = 0; k < Rows; ++k) {
    const size_t at = k * f.points + p;
    const double y = f.state[at], derivative = k < Species ? f.rates[at] : slope;
    if (stage == 1) {
      f.start[at] = y;
      f.startSlope[at] = derivative;
    }
    f.state[at] = c.start * f.start[at] + c.last * y + c.before * f.before[at] +
                  dt * (c.slope * derivative + c.startSlope * f.startSlope[at]);
    f.before[at] = y;
  }
  setMixture(f, p);
}

/// The rates of the present state, by the kernel that Heddle generated.
static void computeRates(const Fields &f) {
  const int error = hydrogen_chemistry_plain(f.points, f.points, f.state + Species * f.points, f.pressure,
                                             f.fractions, f.rates, /*stream=*/0);
  if (error) {
    std::printf("hydrogen_chemistry_plain: error %d\n", error);
    std::exit(2);
  }
}

static double *allocate(size_t count) {
  double *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(double)));
  CHECK(cudaMemset(memory, 0, count * sizeof(double)));
  return memory;
}

static std::vector<double> toHost(const double *device, size_t count) {
  std::vector<double> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(double), cudaMemcpyDeviceToHost));
  return host;
}

/// States and rates as JSON.
class Trace {
public:
  Trace(const char *path, const std::vector<std::string> &names)
      : file(path ? std::fopen(path, "w") : nullptr) {
    if (path && !file) {
      std::printf("%s cannot be written\n", path);
      std::exit(2);
    }
    write("{\"species\": [", "");
    for (size_t k = 0; k < names.size(); ++k)
      write(k ? ", \"%s\"" : "\"%s\"", names[k].c_str());
    write("], \"states\": [", "");
  }

  ~Trace() {
    write("\n]}\n", "");
    if (file)
      std::fclose(file);
  }

  /// All points as they are now.
  void add(const Fields &f) {
    if (!file)
      return;
    const size_t n = f.points;
    const std::vector<double> y = toHost(f.state, Rows * n), pressure = toHost(f.pressure, n);
    const std::vector<double> x = toHost(f.fractions, Species * n), w = toHost(f.rates, Species * n);
    for (size_t p = 0; p < n; ++p) {
      write(count++ ? ",\n  {\"T\": %.17g, " : "\n  {\"T\": %.17g, ", y[Species * n + p]);
      write("\"P\": %.17g, \"X\": [", pressure[p]);
      for (int k = 0; k < Species; ++k)
        write(k ? ", %.17g" : "%.17g", x[k * n + p]);
      write("], \"rates\": [", "");
      for (int k = 0; k < Species; ++k)
        write(k ? ", %.17g" : "%.17g", w[k * n + p]);
      write("]}", "");
    }
  }

private:
  template <class T> void write(const char *format, T value) {
    if (file)
      std::fprintf(file, format, value);
  }

  std::FILE *file;
  size_t count = 0;
};

/// What is conserved at a point: atoms of each element per volume (kmol/m3), and the internal energy (J/m3).
static std::map<std::string, double> invariants(const std::vector<SpeciesData> &data,
                                                const std::vector<double> &state, size_t points, size_t p) {
  std::map<std::string, double> sums;
  const double t = state[Species * points + p];
  for (int k = 0; k < Species; ++k) {
    for (const auto &[element, count] : data[k].atoms)
      sums[element] += count * state[k * points + p];
    sums["energy"] += state[k * points + p] * data[k].thermo.internalEnergy(t);
  }
  return sums;
}

/// What is wrong with a point, or a null pointer. `colder` is the delay of the point before it.
static const char *faultOf(double rise, double delay, double end, double colder) {
  if (!std::isfinite(rise))
    return "the temperature is not finite: the steps may be too long";
  if (rise <= 800)
    return "the temperature does not rise by 800 K";
  if (!(delay > 0 && delay < end))
    return "it does not ignite before the end";
  return delay <= colder ? nullptr : "it ignites later than the point before it, which is colder";
}

/// Whether every point ignited, hotter ones no later, and elements and energy are conserved. Prints what is not so.
static bool isPlausible(const std::vector<SpeciesData> &data, const std::vector<double> &first,
                        const std::vector<double> &last, const std::vector<double> &pressure,
                        const std::vector<double> &delay, double end) {
  const size_t points = delay.size(), t = Species * points;
  std::map<std::string, std::vector<size_t>> faults; // points with each
  std::map<std::string, double> drift;
  for (size_t p = 0; p < points; ++p) {
    const char *const fault = faultOf(last[t + p] - first[t + p], delay[p], end, delay[p > 0 ? p - 1 : 0]);
    if (fault)
      faults[fault].push_back(p);
    const std::map<std::string, double> before = invariants(data, first, points, p);
    for (const auto &[name, value] : invariants(data, last, points, p)) {
      const double size = name == "energy" ? pressure[p] : before.at(name); // J/m3 is Pa
      const double change = size > 0 ? std::fabs(value - before.at(name)) / size : std::fabs(value);
      drift[name] = change <= drift[name] ? drift[name] : change; // keeps a NaN
    }
  }
  for (const auto &[fault, at] : faults)
    std::printf("%zu of %zu points, the first at %.0f K: %s\n", at.size(), points, first[t + at[0]],
                fault.c_str());
  std::string lost;
  std::printf("largest relative change:");
  for (const auto &[name, change] : drift) {
    if (!(change < (name == "energy" ? 1e-3 : 1e-10)))
      lost += " " + name;
    std::printf("  %s %.0e", name.c_str(), change);
  }
  std::printf("\n");
  if (!lost.empty())
    std::printf("not conserved:%s\n", lost.c_str());
  return faults.empty() && lost.empty();
}

int main(int argc, char **argv) {
  const size_t points = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 32;
  const double end = (argc > 3 ? std::atof(argv[3]) : 30.0) * 1e-6;
  const int steps = argc > 4 ? std::atoi(argv[4]) : 500;
  if (argc < 2 || points < 2 || !(end > 0) || steps < 1) {
    std::printf(
        "usage: ignition THERM.DAT [POINTS [MICROSECONDS [STEPS [TRACE.json]]]], with at least two points\n");
    return 2;
  }
  const std::vector<std::string> names = HYDROGEN_SPECIES_NAMES;
  const std::vector<SpeciesData> data = readThermo(argv[1], names);

  // Stoichiometric hydrogen and air at 1 atm and 1400 to 1800 K.
  const std::map<std::string, double> mixed = {{"H2", 2.0 / 6.76}, {"O2", 1.0 / 6.76}, {"N2", 3.76 / 6.76}};
  for (const auto &[name, fraction] : mixed)
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::printf("the mechanism has no %s: change `mixed`\n", name.c_str());
      return 2;
    }
  std::vector<double> state(Rows * points, 0.0);
  for (size_t p = 0; p < points; ++p) {
    const double t = state[Species * points + p] = 1400.0 + 400.0 * double(p) / double(points - 1);
    for (int k = 0; k < Species; ++k)
      if (mixed.count(names[k]))
        state[k * points + p] = mixed.at(names[k]) * OneAtmosphere / (gasConstant * t);
  }

  Nasa7 polynomials[Species];
  for (int k = 0; k < Species; ++k)
    polynomials[k] = data[k].thermo;
  CHECK(cudaMemcpyToSymbol(thermo, polynomials, sizeof polynomials));
  const size_t all = Rows * points;
  const Fields f = {points,           allocate(all), allocate(all), allocate(all),    allocate(all),
                    allocate(points), allocate(all), allocate(all), allocate(points), allocate(points)};
  CHECK(cudaMemcpy(f.state, state.data(), all * sizeof(double), cudaMemcpyHostToDevice));

  // The solver loop: in each stage the rates of the state, then the update.
  const int threads = 128, blocks = int((points + threads - 1) / threads);
  const std::vector<RkcStage> stages = rkcStages(Stages);
  const double dt = end / steps;
  {
    Trace trace(argc > 5 ? argv[5] : nullptr, names);
    mixture<<<blocks, threads>>>(f);
    for (int step = 0; step < steps; ++step)
      for (int stage = 1; stage <= Stages; ++stage) {
        computeRates(f);
        if (stage == 1 && step % std::max(steps / 8, 1) == 0)
          trace.add(f);
        advance<<<blocks, threads>>>(f, stage, stages[stage - 1], dt, step * dt);
      }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }

  const std::vector<double> last = toHost(f.state, all), pressure = toHost(f.pressure, points),
                            delay = toHost(f.delay, points);
  std::printf("%zu points, %g us in %d steps of %g ns with %d stages\n", points, end * 1e6, steps, dt * 1e9,
              Stages);
  std::printf("T at start, K  ignition delay, us  T at end, K  P at end, atm\n");
  for (size_t row = 0; row < 5; ++row) {
    const size_t p = row * (points - 1) / 4;
    std::printf("%13.0f  %18.2f  %11.0f  %13.2f\n", state[Species * points + p], delay[p] * 1e6,
                last[Species * points + p], pressure[p] / OneAtmosphere);
  }
  const bool passed = isPlausible(data, state, last, pressure, delay, end);
  std::printf("ignition: %s\n", passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
