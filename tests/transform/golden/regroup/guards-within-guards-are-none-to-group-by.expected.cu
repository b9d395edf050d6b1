// heddle opt --assume whole-program -d "regroup by=branch"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool hasQueues = true;
  static __device__ unsigned key(float *a, const int *kind, int n, int m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (!(x < n))
      return heddle::noWork;
    if (!(x < m))
      return heddle::noWork;
    return heddle::queueOf((kind[x] > 3) ? 0 : 1);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *kind, int n, int m) {
  const heddle::Item item = regrouped.item();
  if (!item.isThere)
    return;
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n)
    if (x < m) {
      if (kind[x] > 3)
        a[x] = 2;
      else
        a[x] *= 3;
    }
}
void f(float *a, int *b, int n) { heddle::regroup(k, n / 64, 64)(a, b, n, n); }
