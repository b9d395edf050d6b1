// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = gridDim.x;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
