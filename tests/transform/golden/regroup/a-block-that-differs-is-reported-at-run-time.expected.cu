// heddle opt --assume whole-program -d "regroup by=threadIdx.x"

#include <heddle/regroup.cuh>

/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  static __device__ unsigned key(int *a) {
    return heddle::keyOf(threadIdx.x);
  }
};

__global__ void k(heddle::Regrouped<KWays> regrouped, int *a) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx; a[threadIdx.x] = 1; }
void f(int *a, int n) { heddle::regroup(k, 2, n)(a); }
