#ifndef DRYSTONE_MEMORY_H
#define DRYSTONE_MEMORY_H

#include <string.h>

#endif
