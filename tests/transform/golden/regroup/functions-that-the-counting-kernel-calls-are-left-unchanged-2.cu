// heddle opt --assume whole-program -d scalar-replace

#include <heddle/regroup.cuh>

__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ int ownOfk(const heddle::Item &item) {
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx; return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int limit(const int *work) {
  int most = 0;
  for (int j = 0; j < work[own()]; ++j)
    ++most;
  return most;
}

__device__ int limitCounted(heddle::Counter &counter, const int *work) {
  int most = 0;
  for (int j = 0; j < work[own()]; ++j) { counter.step();
    ++most; }
  return most;
}

__device__ int limitOfk(const heddle::Item &item, const int *work) {
  int most = 0;
  for (int j = 0; j < work[ownOfk(item)]; ++j)
    ++most;
  return most;
}
/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const int i = ownOfk(item);
  if (i >= n)
    return;
  for (int j = 0; j < limitOfk(item, work); ++j)
    a[i] += 1.0f;
}

__global__ void kCounted(heddle::Counted counted, float *a, const int *work, int n) {
  heddle::Counter counter(counted);
  const int i = own();
  if (i >= n)
    return;
  for (int j = 0; j < limitCounted(counter, work); ++j) { counter.step();
    a[i] += 1.0f; }
}
void f(float *a, int *w, int n) { heddle::regroup(k, kCounted, n / 64 + 1, 64)(a, w, n); }
