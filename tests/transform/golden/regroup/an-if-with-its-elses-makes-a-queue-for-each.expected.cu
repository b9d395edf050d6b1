// heddle opt --assume whole-program -d "regroup by=branch"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static constexpr bool hasQueues = true;
  static __device__ unsigned key(float *a, const int *work, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int kind = work[i];
    return heddle::queueOf((kind == 1) ? 0 : (kind == 4) ? 1 : 2);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  if (!item.isThere)
    return;
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int kind = work[i];
  if (kind == 1)
    a[i] = 1;
  else if (kind == 4)
    a[i] = 2;
  else
    a[i] = 3;
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
