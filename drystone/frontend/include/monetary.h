#ifndef DRYSTONE_MONETARY_H
#define DRYSTONE_MONETARY_H

#include <drystone_types.h>

typedef struct __locale_struct *locale_t;

ssize_t strfmon(char *, size_t, const char *, ...);
ssize_t strfmon_l(char *, size_t, locale_t, const char *, ...);

#endif
