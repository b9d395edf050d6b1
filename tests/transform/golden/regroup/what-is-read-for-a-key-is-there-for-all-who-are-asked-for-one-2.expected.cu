// heddle opt --assume whole-program -d "regroup by=i"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(float *a, const int *work, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    return heddle::keyOf(i);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  i += 1;
  if (i >= n)
    return;
  if (work[i] > 3)
    a[i] = 1;
  else
    a[i] = 2;
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
