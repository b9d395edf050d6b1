// heddle opt --assume whole-program --remarks -d scalar-replace

template <class T, int N> __global__ void k(float *a, const float *b) {
  __shared__ float s[65];
  typedef T Number;
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < N; ++k)
    a[threadIdx.x * 4 + k] = Number(s[threadIdx.x * 4 + k] + s[threadIdx.x * 4 + k + 1]);
}
void f() { k<float, 4><<<1, 16>>>(nullptr, nullptr); k<float, 2><<<1, 16>>>(nullptr, nullptr); }
