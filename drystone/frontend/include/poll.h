#ifndef DRYSTONE_POLL_H
#define DRYSTONE_POLL_H

#include <drystone_types.h>

#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200

#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32

typedef unsigned long nfds_t;
struct pollfd {
  int fd;
  short events;
  short revents;
};

int poll(struct pollfd *, nfds_t, int);

#endif
