#ifndef DRYSTONE_UTIME_H
#define DRYSTONE_UTIME_H

#include <drystone_types.h>

struct utimbuf {
  time_t actime;
  time_t modtime;
};

int utime(const char *, const struct utimbuf *);

#endif
