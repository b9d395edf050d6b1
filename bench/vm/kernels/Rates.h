// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates of all species at one point, for CUDA, OpenCL and C++: each reaction is written out, as in the
// kernels that `heddle chem` generates. The including file defines BITS_AS_DOUBLE(i).
#define SPECIES_COUNT 53

/// exp(x) = 2^k * exp(r), |r| < 0.35, by Taylor's series: the same operations everywhere, without calls.
static inline FUNCTION double exponential(double x) {
  x = x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;
  const double k = rint(x * 1.4426950408889634);
  const double r = fma(k, -0.6931471805599453, x);
  double p = 1.0 / 3628800.0;
  p = fma(p, r, 1.0 / 362880.0);
  p = fma(p, r, 1.0 / 40320.0);
  p = fma(p, r, 1.0 / 5040.0);
  p = fma(p, r, 1.0 / 720.0);
  p = fma(p, r, 1.0 / 120.0);
  p = fma(p, r, 1.0 / 24.0);
  p = fma(p, r, 1.0 / 6.0);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  return p * BITS_AS_DOUBLE((LONG)((int)k + 1023) << 52);
}

#define SPECIES(INDEX, A0, A1, A2, A5, A6)                                                                   \
  gibbs[INDEX] = A0 * (1.0 - logT) - 0.5 * A1 * t - A2 * t * t * (1.0 / 6.0) + A5 * inverse - A6;
#define REACTION(LN_A, B, E, R1, R2, P1, P2)                                                                 \
  {                                                                                                          \
    const double forward = exponential(fma(B, logT, fma(-E, inverse, LN_A)));                                \
    const double backward = forward * exponential(gibbs[P1] + gibbs[P2] - gibbs[R1] - gibbs[R2]);            \
    const double net = forward * c[R1] * c[R2] - backward * c[P1] * c[P2];                                   \
    w[R1] -= net, w[R2] -= net, w[P1] += net, w[P2] += net;                                                  \
  }

/// Arrays have one row of `points` elements per species. `logT` is the logarithm of the temperature `t`.
static inline FUNCTION void ratesAt(GLOBAL double *rate, GLOBAL const double *concentration, double t,
                                    double logT, unsigned points, unsigned i) {
  double c[SPECIES_COUNT], w[SPECIES_COUNT], gibbs[SPECIES_COUNT];
  const double inverse = 1.0 / t;
#pragma unroll
  for (int s = 0; s < SPECIES_COUNT; ++s)
    c[s] = concentration[s * points + i], w[s] = 0;
#include "Rates.def"
#pragma unroll
  for (int s = 0; s < SPECIES_COUNT; ++s)
    rate[s * points + i] = w[s];
}
