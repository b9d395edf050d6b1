// heddle opt -d "coarsen x=2"

__global__ void k(float *a) {
  a[threadIdx.x] *= 2.0f;
}
void f(float *a) { k<<<8, 256>>>(a); }
int main() { float *a; cudaMalloc(&a, 9); f(a); }
