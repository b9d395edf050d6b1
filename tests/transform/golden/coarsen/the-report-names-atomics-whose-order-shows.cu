// heddle opt --assume whole-program --remarks -d "coarsen x=2"

// The sum rounds by the order of threads, and so does who gets which slot. The count does not.
__global__ void collect(float *sum, unsigned *next, unsigned *count, float *out, const float *in) {
  const float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(sum, value);
  atomicAdd(count, 1u);
  if (value > 0)
    out[atomicAdd(next, 1u)] = value;
}

void run(float *sum, unsigned *next, unsigned *count, float *out, const float *in) {
  collect<<<4, 64>>>(sum, next, count, out, in);
}
