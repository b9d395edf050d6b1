// heddle opt --assume whole-program -d "specialize by=branch"

__global__ void answer(float *out, const int *requests, const float *table,
                       int columns, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int kind = requests[i] % 2;
  if (kind == 0)
    out[i] = table[i] * 2;
  else
    out[i] = table[i] + 1;
}
void f(float *out, int *requests, float *table, int n) { answer<<<4, 64>>>(out, requests, table, n, 1); }
