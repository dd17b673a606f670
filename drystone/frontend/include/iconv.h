#ifndef DRYSTONE_ICONV_H
#define DRYSTONE_ICONV_H

#include <drystone_types.h>

typedef void *iconv_t;

int iconv_close(iconv_t);
iconv_t iconv_open(const char *, const char *);
size_t iconv(iconv_t, char **, size_t *, char **, size_t *);

#endif
