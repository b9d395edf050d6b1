#pragma once
#include "scale.cuh"
__global__ void shift(float *a, float by, int n);
void scaleAll(float *a, float by, int n, int block);
