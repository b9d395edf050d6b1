// -d "coarsen grid=2"
// 'twice' keeps its original for 'other', which goes on calling 'own': 'own' may not be changed in place.
static __device__ unsigned own(unsigned a) { return a + blockIdx.x; }
static __device__ unsigned twice(unsigned a) { return 2u * own(a); }
static __device__ unsigned other(unsigned a) { return twice(a) + 1u; }
__global__ void second(unsigned *out) { out[blockIdx.x] = other(3u); }
__global__ void kernel(unsigned *out) { out[blockIdx.x * 64u + threadIdx.x] = twice(threadIdx.x); }
void launch(unsigned *out, const unsigned *in) {
  second<<<4, 1>>>(out);
  kernel<<<4, 64>>>(out);
}
