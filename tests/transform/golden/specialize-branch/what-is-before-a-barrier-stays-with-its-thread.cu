// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  __shared__ float t[128];
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = a[i] * 2.0f;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
