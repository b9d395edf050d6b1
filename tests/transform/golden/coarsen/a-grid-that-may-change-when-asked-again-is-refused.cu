// heddle opt --assume whole-program -d "coarsen grid=2"

static int count;
static int next() { return ++count; }
__global__ void k(float *a) { a[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
void f(float *a) { k<<<next(), 64>>>(a); }
