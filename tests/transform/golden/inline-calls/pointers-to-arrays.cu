// heddle opt --assume whole-program -d "coarsen x=2"

__device__ void put(float (*to)[4], float v) { to[threadIdx.x / 4][threadIdx.x % 4] = v; __syncthreads(); }
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float *a, const float *b) {
  __shared__ float tile[64];
  __shared__ float rows[16][4];
  int t = threadIdx.x;
  float x = b[t];
  put(rows, x);
  a[t] = x + tile[63 - t] + rows[t / 4][t % 4];
}
int main() { k<<<4, 64>>>(nullptr, nullptr); }
