// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void k(float *a, const int *kind, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (kind[i]) sum += a[i]; else sum -= 1;
  }
  a[threadIdx.x] = sum;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
