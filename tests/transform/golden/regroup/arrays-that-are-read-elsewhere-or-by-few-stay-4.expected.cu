// heddle opt --assume whole-program -d "regroup by=n-i via=layout"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  using LaidOut = heddle::Layout<0, 1>; // a, work
  using Overwritten = heddle::Layout<0>; // a
  static __device__ unsigned key(float *a, const int *work, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
      return heddle::noWork;
    if (i > 5)
      return heddle::noWork;
    return heddle::keyOf(n-i);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i > 5) return;
  a[item.slot] = work[item.slot];
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
