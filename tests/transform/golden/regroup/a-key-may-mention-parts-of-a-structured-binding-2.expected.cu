// heddle opt --assume whole-program -d "regroup by=high"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(float *a, const int *work, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct Pair { int first, second; };
    auto [low, high] = Pair{i & 3, i & 7};
    return heddle::keyOf(high);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  struct Pair { int first, second; };
  auto [low, high] = Pair{i & 3, i & 7};
  if (high > 3)
    a[i] = low;
  else
    a[i] = high;
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
