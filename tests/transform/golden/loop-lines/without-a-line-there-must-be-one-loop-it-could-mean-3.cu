// heddle opt --assume whole-program -d "unroll-jam factor=2"

__global__ void k(float *__restrict__ a, float *__restrict__ b, const float *__restrict__ c,
                  float *p, float *q, int *m, int n, int w) {
}
