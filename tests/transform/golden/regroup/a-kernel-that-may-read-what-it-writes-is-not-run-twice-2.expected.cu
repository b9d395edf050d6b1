// heddle opt --assume whole-program -d "regroup by=n-i"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static __device__ unsigned key(float *a, const float *b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    return heddle::keyOf(n-i);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const float *b, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] + 1.0f;
}
int main() { float *p, *q; cudaMalloc(&p, 9); cudaMalloc(&q, 9); heddle::regroup(k, 4, 64)(p, p, 9); }
