#ifndef DRYSTONE_ALLOCA_H
#define DRYSTONE_ALLOCA_H

#include <stddef.h>

#undef alloca
#define alloca(size) __builtin_alloca(size)

#endif
