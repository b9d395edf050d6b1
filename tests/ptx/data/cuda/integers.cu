#include "prelude.h"
template <class T> __device__ T mixed(T a, T b) {
  return a * b + a / (b + 1) - a % (b + 3) + (a << 3) + (a >> 2) + (a & b) + (a ^ ~b) + (a < b ? a : b);
}
__global__ void integers(signed char *c, short *s, int *i, long long *l, unsigned short *us, unsigned *u,
                         unsigned long long *ul) {
  c[TID] = mixed(c[TID], c[TID + 1]);
  s[TID] = mixed(s[TID], s[TID + 1]);
  i[TID] = mixed(i[TID], i[TID + 1]);
  l[TID] = mixed(l[TID], l[TID + 1]);
  us[TID] = mixed(us[TID], us[TID + 1]);
  u[TID] = mixed(u[TID], u[TID + 1]) + __builtin_popcount(u[TID]) + __builtin_clz(u[TID]);
  ul[TID] = mixed(ul[TID], ul[TID + 1]) + __builtin_popcountll(ul[TID]);
}
