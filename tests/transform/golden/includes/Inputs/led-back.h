#pragma once
#include "leads-back.h"
inline int back() { return 1; }
