// heddle opt --assume whole-program -d auto

__global__ void k(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < i; ++j)
    sum += b[j];
  a[i] = sum;
}
void f() { k<<<4096, 256>>>(nullptr, nullptr, 9); }
