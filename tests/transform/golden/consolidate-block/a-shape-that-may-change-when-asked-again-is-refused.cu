// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x] = s[0];
}
int next();
void f(int *a) { k<<<1, next()>>>(a); }
