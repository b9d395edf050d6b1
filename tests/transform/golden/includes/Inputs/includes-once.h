#include "once.h"
