// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Monte-Carlo particle transport: a thread does the next event of one particle. What that is was drawn before
// and is one of four kinds: it flies through layers, scatters (a direction by rejection), is captured (a
// cascade of photons), or splits (some secondaries). Particles of all kinds are next to each other.
//
// For regrouping: by=branch. The kernel dispatches over `kind[particle]`, and queues with one kind each leave
// no warp that does two.
#include "Harness.h"

constexpr int Threads = 128, Layers = 24;

struct Particle {
  float position, cosine, energy;
  unsigned seed;
};

__host__ __device__ inline Particle fly(Particle particle, const float *opacity) {
  Draws draws{particle.seed};
  float budget = fmaf(4.0f, draws.unit(), 0.25f); // in mean free paths
  const float step = particle.cosine < 0.0f ? -1.0f : 1.0f;
  int layer = int(particle.position);
  while (layer >= 0 && layer < Layers && budget > 0.0f) {
    budget = fmaf(-opacity[layer], 1.0f / fmaxf(fabsf(particle.cosine), 0.05f), budget);
    layer += int(step);
    particle.position = particle.position + step;
  }
  return {particle.position, particle.cosine, particle.energy, draws.state};
}

__host__ __device__ inline Particle scatter(Particle particle) {
  Draws draws{particle.seed};
  for (int bounce = 0; bounce < 6; ++bounce) {
    float u, v, square;
    do { // a point of the unit disc
      u = fmaf(2.0f, draws.unit(), -1.0f);
      v = fmaf(2.0f, draws.unit(), -1.0f);
      square = fmaf(u, u, v * v);
    } while (square >= 1.0f);
    particle.cosine = fmaf(-2.0f, square, 1.0f);
    particle.energy = particle.energy * fmaf(0.25f, particle.cosine, 0.7f);
  }
  particle.seed = draws.state;
  return particle;
}

__host__ __device__ inline Particle capture(Particle particle, const float *opacity) {
  Draws draws{particle.seed};
  float left = particle.energy, released = 0.0f;
  for (int photon = 0; photon < 40 && left > 0.02f; ++photon) {
    const float share = fmaf(0.4f, draws.unit(), 0.1f) * opacity[photon % Layers];
    released = fmaf(left, share, released);
    left = fmaf(-left, share, left);
    for (int wave = 0; wave < 5; ++wave)
      released = fmaf(released, 0.9995f, sqrtf(fmaf(released, released, left)) * 0.0005f);
  }
  particle.energy = released;
  particle.seed = draws.state;
  return particle;
}

__host__ __device__ inline Particle split(Particle particle) {
  Draws draws{particle.seed};
  const int secondaries = 2 + int(draws.next() % 3u);
  float total = 0.0f;
  for (int i = 0; i < secondaries; ++i) {
    float watt = 0.0f;
    for (int term = 0; term < 12; ++term)
      watt = fmaf(watt, 0.5f, draws.unit());
    total = fmaf(watt, 0.3f, total);
  }
  return {particle.position, -particle.cosine, total, draws.state};
}

__global__ void advance(Particle *after, const Particle *before, const int *kind, const float *opacity,
                        int particles) {
  const int particle = blockIdx.x * blockDim.x + threadIdx.x;
  if (particle >= particles)
    return;
  switch (kind[particle]) {
  case 0: after[particle] = fly(before[particle], opacity); break;
  case 1: after[particle] = scatter(before[particle]); break;
  case 2: after[particle] = capture(before[particle], opacity); break;
  default: after[particle] = split(before[particle]); break;
  }
}

struct Bunch {
  std::vector<Particle> particles;
  std::vector<int> kinds;
};

static Bunch makeBunch(int count) {
  Numbers numbers(91);
  Bunch bunch;
  for (int i = 0; i < count; ++i) {
    bunch.particles.push_back({float(numbers.below(Layers)), numbers.between(-1, 1), numbers.between(0.5f, 2),
                               numbers.next() * 2u + 1u});
    const int draw = numbers.below(10);
    bunch.kinds.push_back(draw < 4 ? 0 : draw < 7 ? 1 : draw < 9 ? 2 : 3);
  }
  return bunch;
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 3000), launches = argument(argc, argv, 2, 2);
  const Bunch bunch = makeBunch(count);
  const std::vector<float> opacities = floats(Layers, 92, 0.05f, 0.6f);
  Particle *before = toDevice(bunch.particles), *after = zeros<Particle>(count);
  int *kind = toDevice(bunch.kinds);
  float *opacity = toDevice(opacities);
  for (int i = 0; i < launches; ++i)
    advance<<<blocksFor(count, Threads), Threads>>>(after, before, kind, opacity, count);
  const std::vector<Particle> got = toHost(after, count);
  std::vector<float> numbers;
  for (const Particle &each : got)
    for (float number : {each.position, each.cosine, each.energy, float(each.seed)})
      numbers.push_back(number);
  const auto wanted = [&](size_t i) {
    const Particle &one = bunch.particles[i / 4];
    const float *layers = opacities.data();
    Particle want{};
    switch (bunch.kinds[i / 4]) {
    case 0: want = fly(one, layers); break;
    case 1: want = scatter(one); break;
    case 2: want = capture(one, layers); break;
    default: want = split(one); break;
    }
    const float all[] = {want.position, want.cosine, want.energy, float(want.seed)};
    return all[i % 4];
  };
  return verdict("particle_transport", numbers, agree(numbers, wanted, 1e-5, 40000));
}
