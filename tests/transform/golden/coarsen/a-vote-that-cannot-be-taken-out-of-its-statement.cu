// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int m = 2 + __syncthreads_count(b[threadIdx.x] > 0.0f);
  a[threadIdx.x] = m;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
