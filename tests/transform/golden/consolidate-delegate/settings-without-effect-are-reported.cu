// heddle opt --assume whole-program -d "consolidate delegate=auto remap=off tasks=dynamic throttle=8"

__global__ void k(float *a) {
  __shared__ float c[64];
  c[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = c[63 - threadIdx.x];
}
void f(float *a) { k<<<1, 64>>>(a); }
