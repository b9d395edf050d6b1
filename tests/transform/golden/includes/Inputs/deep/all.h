#pragma once
#include "within/scale.h"
