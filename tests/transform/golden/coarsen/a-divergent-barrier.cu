// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  if (threadIdx.x < 7) { a[threadIdx.x] = 1.0f; __syncthreads(); }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
