// heddle opt -d interchange

extern "C" __global__ void k(float *a) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      a[(i * 8 + j) * 32 + threadIdx.x] = 1.0f;
}
void f(float *a) { k<<<8, 256>>>(a); }
