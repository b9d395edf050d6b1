// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  n += threadIdx.x;
  for (int j = 0, u = n; ; ++j) {
    if (j == 5)
      break;
    u += threadIdx.x;
    a[threadIdx.x] = float(u);
    __syncthreads();
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
