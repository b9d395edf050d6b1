#include "prelude.h"
struct alignas(16) Four {
  float x, y, z, w;
};
struct alignas(8) Two {
  int x, y;
};
__global__ void vectors(Four *f, Two *t) {
  Four v = f[TID];
  v.x += v.w;
  f[TID + 1] = v;
  Two u = t[TID];
  u.y -= u.x;
  t[TID + 1] = u;
}
