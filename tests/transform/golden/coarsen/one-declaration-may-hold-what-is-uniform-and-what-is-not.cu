// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  int m, e;
  float t = b[threadIdx.x];
  s[threadIdx.x] = t;
  for (m = 0; m < n; m++) {
    __syncthreads();
    t = s[63 - threadIdx.x];
    for (e = 0; e < threadIdx.x; e++)
      t += s[e];
    a[threadIdx.x] = t;
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
