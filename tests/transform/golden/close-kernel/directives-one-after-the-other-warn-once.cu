// heddle opt -d "coarsen x=2" -d "coarsen x=2"

__global__ void k(float *a) {
  a[threadIdx.x] *= 2.0f;
}
void f(float *a) { k<<<8, 256>>>(a); }
