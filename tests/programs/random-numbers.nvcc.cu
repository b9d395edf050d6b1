// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device functions of cuRAND, which are headers of the toolkit: numbers of the device are those that the same functions compute on the
// host. MTGP32 has functions for the device only, so its recursion is here once more.
#define QUALIFIERS static inline __host__ __device__
#include "Check.h"

#if !__has_include(<curand_kernel.h>)
int main() { std::printf("SKIPPED: this toolkit is without the headers of cuRAND\n"); }
#else
#include <algorithm>
#include <cmath>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

struct Numbers {
  unsigned bits;
  float uniform, normal;
  double uniformDouble;
};

template <class State> __host__ __device__ Numbers draw(int sequence) {
  State state;
  curand_init(1234ULL, sequence, 5, &state);
  Numbers numbers;
  numbers.bits = curand(&state);
  numbers.uniform = curand_uniform(&state);
  numbers.uniformDouble = curand_uniform_double(&state);
  numbers.normal = curand_normal(&state);
  return numbers;
}

template <class State> __global__ void drawAll(Numbers *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = draw<State>(i);
}

template <class State> void compareWithHost() {
  const int count = 3 * 32;
  DeviceArray<Numbers> device(count);
  drawAll<State><<<3, 32>>>(device);
  CHECK_LAUNCH();
  const std::vector<Numbers> numbers = device.host();
  for (int i = 0; i < count; ++i) {
    const Numbers host = draw<State>(i);
    CHECK(numbers[i].bits == host.bits && numbers[i].uniform == host.uniform);
    CHECK(numbers[i].uniformDouble == host.uniformDouble);
    CHECK(std::fabs(numbers[i].normal - host.normal) <
          1e-5f); // logarithm and cosine are not those of the host's library
  }
}

/// A state that is kept in memory between launches continues where it was.
__global__ void start(curandStatePhilox4_32_10_t *states) {
  curand_init(7, threadIdx.x, 0, &states[threadIdx.x]);
}

__global__ void next(curandStatePhilox4_32_10_t *states, uint4 *out) {
  out[threadIdx.x] = curand4(&states[threadIdx.x]);
}

void continueStates() {
  DeviceArray<curandStatePhilox4_32_10_t> states(32);
  DeviceArray<uint4> device(32);
  start<<<1, 32>>>(states);
  curandStatePhilox4_32_10_t host;
  curand_init(7, 31, 0, &host);
  for (int launch = 0; launch < 3; ++launch) {
    next<<<1, 32>>>(states, device);
    CHECK_LAUNCH();
    const uint4 last = device.host()[31], expected = curand4(&host);
    CHECK(last.x == expected.x && last.y == expected.y && last.z == expected.z && last.w == expected.w);
  }
}

// A block of 256 threads shares a state of MTGP32 and draws 256 numbers at a time.
__global__ void drawMtgp(curandStateMtgp32 *states, unsigned *out, int rounds) {
  for (int round = 0; round < rounds; ++round)
    out[(blockIdx.x * rounds + round) * blockDim.x + threadIdx.x] = curand(&states[blockIdx.x]);
}

/// Saito's MTGP, one number after the other: x[i + N] from x[i], x[i + 1] and x[i + M], then tempered with x[i + M - 1].
std::vector<unsigned> mtgpOnHost(const mtgp32_params_fast_t &p, unsigned seed, int count) {
  const int size = p.mexp / 32 + 1, shift = p.pos;
  std::vector<unsigned> x(size), out;
  mtgp32_init_state(x.data(), &p, seed);
  for (int i = 0; i < count; ++i) {
    unsigned mixed = (x[i] & p.mask) ^ x[i + 1];
    mixed ^= mixed << p.sh1;
    const unsigned y = mixed ^ (x[i + shift] >> p.sh2);
    const unsigned value = y ^ p.tbl[y & 15];
    x.push_back(value);
    unsigned t = x[i + shift - 1];
    t ^= t >> 16;
    t ^= t >> 8;
    out.push_back(value ^ p.tmp_tbl[t & 15]);
  }
  return out;
}

void compareMtgp() {
  const int blocks = 2, rounds = 3, threads = 256;
  DeviceArray<curandStateMtgp32> states(blocks);
  DeviceArray<mtgp32_kernel_params_t> parameters(1);
  CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters) == CURAND_STATUS_SUCCESS);
  CHECK(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, blocks, 99) ==
        CURAND_STATUS_SUCCESS);
  DeviceArray<unsigned> device(blocks * rounds * threads);
  drawMtgp<<<blocks, threads>>>(states, device, rounds);
  CHECK_LAUNCH();
  const std::vector<unsigned> numbers = device.host();
  for (int block = 0; block < blocks; ++block) {
    const std::vector<unsigned> host =
        mtgpOnHost(mtgp32dc_params_fast_11213[block], 99 + block + 1, rounds * threads);
    CHECK(std::equal(host.begin(), host.end(), numbers.begin() + block * rounds * threads));
  }
}

int main() {
  compareWithHost<curandStatePhilox4_32_10_t>();
  compareWithHost<curandStateXORWOW_t>();
  compareWithHost<curandStateMRG32k3a_t>();
  continueStates();
  compareMtgp();
  return pass();
}
#endif
