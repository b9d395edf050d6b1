// heddle opt --arch sm_80

#pragma heddle coarsen x=2
__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
int main() {
  float *a = nullptr;
  int *b = nullptr;
  k<<<16, 64>>>(a);
  k<<<16, 64>>>(b);
}
