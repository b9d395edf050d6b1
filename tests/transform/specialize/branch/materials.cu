// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles of four materials, each with an equation of its own; a thread has a particle. Some are gone, and
// some are of an unknown material.
#include "../Harness.h"

enum Material { Gas, Liquid, Solid, Plasma };

struct Particle {
  float density, energy;
  int material;
};

__global__ void pressures(float *pressure, const Particle *particles, int count, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Particle particle = particles[i]; // as it is before the step
  if (particle.density <= 0)
    return;
  float p = 0;
  switch (particle.material) {
  case Gas:
    for (int r = 0; r < rounds; ++r)
      p = 0.4f * particle.density * particle.energy + 0.1f * p;
    break;
  case Liquid: {
    const float ratio = particle.density / 0.9f;
    for (int r = 0; r < rounds; ++r)
      p = 3.0f * (ratio * ratio * ratio - 1.0f) + 0.2f * p;
    break;
  }
  case Solid:
  case Plasma:
    for (int r = 0; r < rounds; ++r) {
      p = particle.energy * (particle.density - 0.5f) - 0.25f * p;
      if (p < -1000.0f)
        return;
    }
    break;
  default: p = -1.0f;
  }
  // What comes after the branch is part of the work.
  pressure[i] = p + 1.0f;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 1000), threads = argument(argc, argv, 2, 128);
  // Of materials the fifth is not known.
  const int materials = argument(argc, argv, 3, 5), rounds = argument(argc, argv, 4, 20);
  const std::vector<float> density = floats(count, 1, -0.2f, 2), energy = floats(count, 2, 0, 3);
  const std::vector<int> kind = integers(count, 3, materials);
  std::vector<Particle> particles(count);
  for (int i = 0; i < count; ++i)
    particles[i] = {density[i], energy[i], kind[i]};
  Particle *device = toDevice(particles);
  float *pressure = zeros<float>(count);

  if (count > 0)
    pressures<<<blocksFor(count, threads), threads>>>(pressure, device, count, rounds);
  const std::vector<float> got = toHost(pressure, count);

  const auto wanted = [&](size_t i) {
    const double d = density[i], e = energy[i];
    if (d <= 0)
      return 0.0;
    double p = 0;
    for (int r = 0; r < rounds; ++r)
      p = kind[i] == Gas      ? 0.4 * d * e + 0.1 * p
          : kind[i] == Liquid ? 3.0 * (d / 0.9 * (d / 0.9) * (d / 0.9) - 1.0) + 0.2 * p
          : kind[i] <= Plasma ? e * (d - 0.5) - 0.25 * p
                              : -1.0;
    return p + 1.0;
  };
  return verdict("materials", got, agree(got, wanted, 1e-4));
}
