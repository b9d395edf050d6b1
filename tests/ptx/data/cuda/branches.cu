#include "prelude.h"
__global__ void branches(int *p, int n) {
  for (int i = TID; i < n; i += NTID) {
    switch (p[i]) {
    case 0: p[i] = n * 3; break;
    case 1: p[i] += p[n]; break;
    case 2: p[i] = p[n] / 3; break;
    case 3: p[i] ^= 99; // falls through
    case 4: p[i] -= p[n + 1]; break;
    case 5: return;
    case 6: p[i] = p[i + 1] * p[i + 2]; break;
    case 7: continue;
    case 8: p[i] = -p[i]; break;
    default:
      while (p[i] > 1)
        p[i] = p[i] % 2 ? 3 * p[i] + 1 : p[i] / 2;
    }
    if (p[i] == 42)
      asm volatile("trap;");
  }
}
