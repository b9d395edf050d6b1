// heddle opt --assume whole-program -d "regroup by=work[j]"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(float *a, const int *work, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int half = n / 2;
    const int j = i % half;
    return heddle::keyOf(work[j]);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = n / 2;
  const int j = i % half;
  float sums[4];
  const float scale = 1.0f / n;
  a[i] = scale * work[j];
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
