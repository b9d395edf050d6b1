// heddle opt --assume whole-program --block 128,1,1 -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  __syncthreads();
  a[threadIdx.x] = 1;
}
void f(int *a) { k<<<1, 256>>>(a); }
