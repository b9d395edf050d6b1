// heddle opt --assume whole-program -d "consolidate delegate=auto remap=off tasks=dynamic throttle=8"

__global__ void k(float *a) {
  __shared__ float c[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    c[threadX] = a[threadX];
  }
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    a[threadX] = c[63 - threadX];
  }
}
void f(float *a) { k<<<1, 32>>>(a); }
