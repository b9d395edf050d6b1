// heddle opt --assume whole-program -d "regroup by=n-i"

__global__ void k(float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i] + 1.0f;
}
int main() { float *p, *q; cudaMalloc(&p, 9); cudaMalloc(&q, 9); k<<<4, 64>>>(p, q, 9); }
