// heddle opt --assume whole-program -d "regroup by=threadIdx.x"

#define digits 10
#define Way 1

#pragma push_macro("Way")
#undef Way
#pragma push_macro("digits")
#undef digits
#include <heddle/regroup.cuh>
#pragma pop_macro("Way")
#pragma pop_macro("digits")

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
  const uint3 threadIdx = item.threadIdx; a[threadIdx.x] = digits; }
void f(int *a, int n) { heddle::regroup(k, 2, n)(a); }
