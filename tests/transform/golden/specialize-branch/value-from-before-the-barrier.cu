// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  __shared__ float t[128];
  int own = threadIdx.x * 2;
  t[threadIdx.x] = own;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kind[i]) a[i] = own; else a[i] = 2;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
