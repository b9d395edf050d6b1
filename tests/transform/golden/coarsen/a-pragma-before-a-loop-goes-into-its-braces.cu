// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      s[threadIdx.x] += 1;
      __syncthreads();
    }
  a[threadIdx.x] = s[threadIdx.x];
}
void f(float *a) { k<<<4, 64>>>(a); }
