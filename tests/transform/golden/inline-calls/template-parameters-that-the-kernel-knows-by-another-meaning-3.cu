// heddle opt --assume whole-program -d "coarsen x=2"

template <class T, int M> __device__ void put(T (&to)[M], T v) {
  const T twice = v + v;
  to[threadIdx.x % M] = twice;
  __syncthreads();
}
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float *a, const float *b) {
  __shared__ float tile[64];
  __shared__ float rows[16][4];
  int t = threadIdx.x;
  float x = b[t];
  using T = float;
  const int M = 64;
  put<T, M * 1>(tile, x);
  a[t] = x + tile[63 - t] + rows[t / 4][t % 4];
}
int main() { k<<<4, 64>>>(nullptr, nullptr); }
