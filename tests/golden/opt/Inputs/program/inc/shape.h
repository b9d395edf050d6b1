#pragma once
#define BLOCKS(n, size) (((n) + (size) - 1) / (size))
