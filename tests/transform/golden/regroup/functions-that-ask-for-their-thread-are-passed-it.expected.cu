// heddle opt --assume whole-program -d "regroup by=work[blockIdx.x*64+threadIdx.x]"

#include <heddle/regroup.cuh>

__device__ int place(const heddle::Item &item) {
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx; return blockIdx.x * 64 + threadIdx.x; }
/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(float *a, const int *work, int n) {
    return heddle::keyOf(work[blockIdx.x*64+threadIdx.x]);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {
  const heddle::Item item = regrouped.item();
  const int i = place(item);
  a[i] = work[i];
}
void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }
