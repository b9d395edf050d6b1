// heddle opt --assume whole-program -d "regroup by=profile"

#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define RAISE(s)                                                                                                       \
  if ((s) < 100) {                                                                                                     \
    ++(s);                                                                                                             \
  }

#pragma push_macro("EACH")
#undef EACH
#pragma push_macro("RAISE")
#undef RAISE
#include <heddle/regroup.cuh>
#pragma pop_macro("EACH")
#pragma pop_macro("RAISE")

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
};

__global__ void k(heddle::Regrouped<KWays> regrouped, int *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int s = 0, left = work[i];
  for (int j = 0; j < left; ++j)
    if (j & 1) {
      s += j;
    }
  for (int j = 0; j < left; ++j)
    for (int l = 0; l < j; ++l)
      if (l & 1)
        s += l;
      else {
        s -= j;
      }
  while (left > 0)
    switch (left & 1) {
    case 0: left -= 2; break;
    default: --left;
    }
  for (int step : {1, 2})
    while (s % 3) {
      s += step;
    }
  EACH(j, s)
    RAISE(s)
  for (int j = 0; j < 3; ++j)
    do {
      ++s;
    } while (s % 5);
  a[i] = s;
}

__global__ void kCounted(heddle::Counted counted, int *a, const int *work, int n) {
  heddle::Counter counter(counted);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int s = 0, left = work[i];
  for (int j = 0; j < left; ++j) { counter.step();
    if (j & 1) {
      s += j;
    } }
  for (int j = 0; j < left; ++j) { counter.step();
    for (int l = 0; l < j; ++l) { counter.step();
      if (l & 1)
        s += l;
      else {
        s -= j;
      } } }
  while (left > 0) { counter.step();
    switch (left & 1) {
    case 0: left -= 2; break;
    default: --left;
    } }
  for (int step : {1, 2}) { counter.step();
    while (s % 3) { counter.step();
      s += step;
    } }
  for (int j = 0; j < (s); ++ j) { counter.step();
    if ((s) < 100) { ++(s); } }
  for (int j = 0; j < 3; ++j) { counter.step();
    do { counter.step();
      ++s;
    } while (s % 5); }
  a[i] = s;
}
void f(int *a, int *w, int n) { heddle::regroup(k, kCounted, n / 64 + 1, 64)(a, w, n); }
