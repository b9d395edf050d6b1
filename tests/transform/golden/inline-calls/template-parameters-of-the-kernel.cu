// heddle opt --assume whole-program -d "coarsen x=2"

template <int M> __device__ void put(float *to, float v, int at) {
  to[(at + M) % 64] = v;
  __syncthreads();
}
template <int M> __global__ void k(float *a) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  put<M + 1>(tile, a[t], t);
  a[t] = tile[63 - t] * M;
}
int main() { k<3><<<4, 64>>>(nullptr); k<5><<<4, 64>>>(nullptr); }
