// heddle opt --assume whole-program -d "regroup by=late"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(float *a, const int *work, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (work[i] == 0)
      return heddle::noWork;
    const int late = work[i] / 2;
    return heddle::keyOf(late);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (work[i] == 0)
    return;
  const int late = work[i] / 2;
  a[i] = late;
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
