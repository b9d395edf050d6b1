// heddle opt -d interchange

__global__ void k(float *a) {
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i)
      a[(i * 8 + j) * 32 + threadIdx.x] = 1.0f;
}
