// heddle opt --assume whole-program --remarks -d auto

__global__ void k(float *a, const float *b) {
  for (int j = 0; j < 64; ++j)
    a[(blockIdx.x * 64 + j) * 256 + threadIdx.x] = b[(blockIdx.x * 64 + j) * 256 + threadIdx.x];
}
void f() { k<<<4096, 256>>>(nullptr, nullptr); }
