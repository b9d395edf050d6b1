// heddle opt --assume whole-program --remarks -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
#ifdef NEVER
  a[0] = threadIdx.x;
#elif __CUDA_ARCH__ > 100
  // the usual way
#if 1
  a[threadIdx.x] = 1.0f;
#endif
#else
  a[1] = 2.0f;
#endif
  a[threadIdx.x] += 1.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
