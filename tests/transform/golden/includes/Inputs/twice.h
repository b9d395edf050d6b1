__global__ void TWICE_NAME(float *a) { a[threadIdx.x] *= 2.0f; }
