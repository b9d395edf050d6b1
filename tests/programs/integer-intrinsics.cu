// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit counting, reversing, permuting, wide and high products, funnel shifts, dot products, saturation.
#include "Check.h"

__global__ void bits(const unsigned *x, unsigned long long *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  unsigned a = x[i], b = x[(i + 1) % n];
  unsigned long long wide = (unsigned long long)a << 32 | b;
  unsigned long long *row = out + i * 16;
  row[0] = __popc(a) * 100 + __popcll(wide);
  row[1] = __clz(a) * 100 + __clzll(wide);
  row[2] = __ffs(a) * 100 + __ffsll(wide);
  row[3] = __brev(a);
  row[4] = __brevll(wide);
  row[5] = __byte_perm(a, b, 0x3715);
  row[6] = __umulhi(a, b);
  row[7] = (unsigned)__mulhi(int(a), int(b));
  row[8] = __umul64hi(wide, wide ^ 12345);
  row[9] = __funnelshift_l(a, b, 9);
  row[10] = __funnelshift_r(a, b, 41);
  row[11] = (unsigned)__dp4a(int(a), int(b), 7);
  row[12] = __usad(a, b, 3);
  row[13] = (unsigned)__hadd(int(a), int(b));
  row[14] = a / (b | 1) + a % (b | 1) + unsigned(int(a) / int(b >> 1 | 1)) + unsigned(int(a) % int(b >> 1 | 1));
  row[15] = wide / (a | 1) + (wide % (b | 1)) + (unsigned long long)((long long)wide >> (a & 63));
}

unsigned byteOf(unsigned long long pair, int k) { return unsigned(pair >> (8 * k)) & 255; }

void reference(unsigned a, unsigned b, unsigned long long *row) {
  unsigned long long wide = (unsigned long long)a << 32 | b;
  auto highest = [](unsigned long long v, int width) {
    int zeros = 0;
    while (zeros < width && !(v >> (width - 1 - zeros) & 1))
      ++zeros;
    return zeros;
  };
  auto reversed = [](unsigned long long v, int width) {
    unsigned long long r = 0;
    for (int i = 0; i < width; ++i)
      r |= (v >> i & 1) << (width - 1 - i);
    return r;
  };
  row[0] = __builtin_popcount(a) * 100 + __builtin_popcountll(wide);
  row[1] = highest(a, 32) * 100 + highest(wide, 64);
  row[2] = __builtin_ffs(int(a)) * 100 + __builtin_ffsll((long long)wide);
  row[3] = reversed(a, 32);
  row[4] = reversed(wide, 64);
  unsigned long long pair = (unsigned long long)b << 32 | a;
  row[5] = byteOf(pair, 5) | byteOf(pair, 1) << 8 | byteOf(pair, 7) << 16 | byteOf(pair, 3) << 24;
  row[6] = (unsigned long long)a * b >> 32;
  row[7] = unsigned((long long)int(a) * int(b) >> 32);
  row[8] = (unsigned long long)((unsigned __int128)wide * (wide ^ 12345) >> 64);
  row[9] = unsigned(((unsigned long long)b << 32 | a) << 9 >> 32);
  row[10] = unsigned(((unsigned long long)b << 32 | a) >> (41 & 31));
  int dot = 7;
  for (int k = 0; k < 4; ++k)
    dot += int((signed char)(a >> 8 * k)) * int((signed char)(b >> 8 * k));
  row[11] = unsigned(dot);
  row[12] = (a > b ? a - b : b - a) + 3;
  row[13] = unsigned(((long long)int(a) + int(b)) >> 1);
  row[14] = a / (b | 1) + a % (b | 1) + unsigned(int(a) / int(b >> 1 | 1)) + unsigned(int(a) % int(b >> 1 | 1));
  row[15] = wide / (a | 1) + (wide % (b | 1)) + (unsigned long long)((long long)wide >> (a & 63));
}

int main() {
  std::vector<unsigned> x = {0,           1,           2,           0x80000000u, 0xffffffffu,
                             0x12345678u, 0xdeadbeefu, 0x7fffffffu, 77,          0x00ff00ffu};
  unsigned state = 5;
  while (x.size() < 64)
    x.push_back(state = state * 1664525u + 1013904223u);
  DeviceArray<unsigned> in(x);
  DeviceArray<unsigned long long> out(64 * 16);
  bits<<<1, 64>>>(in, out, 64);
  CHECK_LAUNCH();
  std::vector<unsigned long long> got = out.host();
  for (int i = 0; i < 64; ++i) {
    unsigned long long row[16];
    reference(x[i], x[(i + 1) % 64], row);
    for (int k = 0; k < 16; ++k)
      if (got[i * 16 + k] != row[k]) {
        std::printf("FAIL intrinsic %d of %08x %08x: %llx, expected %llx\n", k, x[i], x[(i + 1) % 64],
                    got[i * 16 + k], row[k]);
        return 1;
      }
  }
  return pass();
}
