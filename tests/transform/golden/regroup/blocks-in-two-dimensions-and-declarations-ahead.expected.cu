// heddle opt --assume whole-program -d "regroup by=y"

#include <heddle/regroup.cuh>

__global__ void k(heddle::Regrouped<struct KWays>, int *a, int n);
/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<16, 4, 1> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(int *a, int n) {
    [[maybe_unused]] const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    return heddle::keyOf(y);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, int *a, int n) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  a[y * n + x] = y;
}
void f(int *a) { heddle::regroup(k, 2, dim3(16, 4))(a, 32); }
