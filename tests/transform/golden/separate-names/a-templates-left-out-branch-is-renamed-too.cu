// heddle opt --assume whole-program -d "coarsen x=2"

template <bool B> __global__ void k(float *a, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = n;
  __syncthreads();
  for (int n = 0; n < 3; ++n)
    if constexpr (B) {
      a[threadIdx.x] += s[n];
    } else {
      a[threadIdx.x] -= n;
    }
}
int main() { k<true><<<4, 64>>>(nullptr, 0); }
