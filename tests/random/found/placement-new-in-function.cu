// -d "consolidate remap=auto delegate=on tasks=dynamic"
// Placement new calls a constructor that reads the index of the thread.
#include <new>
struct Made {
  unsigned v;
  __device__ Made(unsigned a) : v(threadIdx.x + a) {}
};
static __device__ unsigned placed(unsigned a) {
  alignas(8) unsigned char room[sizeof(Made)];
  Made *made = new (room) Made(a);
  return made->v;
}
__global__ void kernel(unsigned *out, unsigned *rest, const unsigned *in, unsigned n) {
  __shared__ unsigned s0[96];
  const unsigned t = threadIdx.x;
  const unsigned g = blockIdx.x * 96u + t;
  unsigned *own = out + g * 16u;
  own[4] = placed(1u);
}
void launch(unsigned *out, const unsigned *in) {
  kernel<<<4, 96>>>(out, out + 8192, in, 3u);
}
