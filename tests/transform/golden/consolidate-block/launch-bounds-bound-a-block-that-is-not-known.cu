// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void __launch_bounds__(128) k(int *a) {
  __shared__ int s[128];
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x] = s[0];
}
void f(int *a, int n) { k<<<1, n>>>(a); }
