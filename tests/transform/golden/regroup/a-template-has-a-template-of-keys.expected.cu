// heddle opt --assume whole-program -d "regroup by=work[i]%Most"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
template <class T, int Most>
struct KWays : heddle::Ways<32> {
  static constexpr const char *name = "k";
  static __device__ unsigned key(T *a, const int *work) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    return heddle::keyOf(work[i]%Most);
  }
};

template <class T, int Most>
__global__ void k(heddle::Regrouped<KWays<T, Most>> regrouped, T *a, const int *work) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < work[i] % Most; ++s)
    a[i] += 1;
}
void f(float *a, int *w) { heddle::regroup(k<float, 7>, 2, 32)(a, w); }
