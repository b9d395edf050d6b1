// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
void (*const table[])(float *) = {k};
void f(int i) { table[i]<<<1, 64>>>(nullptr); }
