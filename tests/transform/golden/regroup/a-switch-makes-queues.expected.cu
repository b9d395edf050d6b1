// heddle opt --assume whole-program -d "regroup by=branch"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static constexpr bool hasQueues = true;
  static __device__ unsigned key(float *a, const int *work, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
      return heddle::noWork;
    return heddle::queueOf(work[i]);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  if (!item.isThere)
    return;
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  switch (work[i]) {
  case 0: a[i] = 1; break;
  default: a[i] = 2; break;
  }
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
