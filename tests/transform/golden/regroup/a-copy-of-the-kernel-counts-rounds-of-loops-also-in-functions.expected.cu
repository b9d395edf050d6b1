// heddle opt --assume whole-program -d "regroup by=profile"

#include <heddle/regroup.cuh>

__device__ int steps(int n) {
  int k = 0;
  while (n > k * k)
    ++k;
  return k;
}

__device__ int stepsCounted(heddle::Counter &counter, int n) {
  int k = 0;
  while (n > k * k) { counter.step();
    ++k; }
  return k;
}
/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 3; ++k) {
    a[i] = steps(work[i]);
  }
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < k; ++j)
      a[i] += j;
}

__global__ void kCounted(heddle::Counted counted, float *a, const int *work, int n) {
  heddle::Counter counter(counted);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 3; ++k) { counter.step();
    a[i] = stepsCounted(counter, work[i]);
  }
  for (int k = 0; k < 3; ++k) { counter.step();
    for (int j = 0; j < k; ++j) { counter.step();
      a[i] += j; } }
}
void f(float *a, int *w, int n) { heddle::regroup(k, kCounted, n / 64 + 1, 64)(a, w, n); }
