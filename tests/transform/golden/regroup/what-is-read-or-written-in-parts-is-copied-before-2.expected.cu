// heddle opt --assume whole-program -d "regroup by=threadIdx.x via=layout"

#include <heddle/regroup.cuh>

struct Pair { int a, b; };
/// How threads of 'k' are regrouped (heddle/regroup.cuh).
struct KWays : heddle::Ways<64> {
  static constexpr const char *name = "k";
  static constexpr bool mayRepeat = true; // it reads nothing that it writes
  using LaidOut = heddle::Layout<0>; // p
  static __device__ unsigned key(Pair *p) {
    return heddle::keyOf(threadIdx.x);
  }
};

__global__ void k(
    heddle::Regrouped<KWays> regrouped, Pair *p) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx;
  const uint3 blockIdx = item.blockIdx; p[item.slot].a = threadIdx.x; }
void f(Pair *p) { heddle::regroup(k, 2, 64)(p); }
