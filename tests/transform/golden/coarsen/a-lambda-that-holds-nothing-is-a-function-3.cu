// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  auto limit = [](float v) { return v > 1 ? 1 : v; };
  a[threadIdx.x] = 2;
  __syncthreads();
  a[63 - threadIdx.x] = limit(a[threadIdx.x]);
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
