// heddle opt -d "coarsen x=2"

__global__ void k(float *a) {
  a[threadIdx.x] *= 2.0f;
}
