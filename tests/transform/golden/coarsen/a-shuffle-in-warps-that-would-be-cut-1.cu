// heddle opt --assume whole-program -d "coarsen x=4"

__global__ void k(float *a, const float *b, int n) {
  a[threadIdx.x] = __shfl_down_sync(0xffffffffu, b[threadIdx.x], 1);
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
