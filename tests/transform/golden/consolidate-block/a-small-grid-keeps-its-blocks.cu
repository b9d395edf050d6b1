// heddle opt --assume whole-program --remarks -d consolidate

__global__ void k(int *a) {
  __syncthreads();
  a[threadIdx.x] = 1;
}
void f(int *a) { k<<<20, 256>>>(a); }
