// heddle opt --assume whole-program -d "specialize by=branch"

__device__ float own(const float *a) { return a[threadIdx.x]; }
__global__ void k(float *a, const int *kind, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kind[i])
    a[i] = own(a);
  else
    a[i] = 2;
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
