// heddle opt --assume whole-program -d "consolidate remap=off delegate=on" -d launch-bounds

__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x];
  __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }
void f(float *a, int n) { k<<<4, 64>>>(a); }
