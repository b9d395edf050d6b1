// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  #pragma unroll
  for (unsigned ky = 0; ky < 8; ++ky) {
    const unsigned threadY = threadIdx.y + ky * 1;
    a[(blockIdx.y * 8u + threadY) * 32 + blockIdx.x * 32u + threadIdx.x] = 1;
  }
}
void f(int *a) { k<<<dim3(1, 10000), 32>>>(a); }
