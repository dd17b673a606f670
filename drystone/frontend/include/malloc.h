#ifndef DRYSTONE_MALLOC_H
#define DRYSTONE_MALLOC_H

#include <stdlib.h>

size_t malloc_usable_size(void *);
void *memalign(size_t, size_t);

#endif
