#ifndef DRYSTONE_SYS_UIO_H
#define DRYSTONE_SYS_UIO_H

#include <drystone_types.h>

struct iovec {
  void *iov_base;
  size_t iov_len;
};

ssize_t readv(int, const struct iovec *, int);
ssize_t writev(int, const struct iovec *, int);

#endif
