#ifndef DRYSTONE_SYS_SELECT_H
#define DRYSTONE_SYS_SELECT_H

#include <drystone_types.h>

#define FD_SETSIZE 1024
typedef struct {
  long __bits[FD_SETSIZE / (8 * sizeof(long))];
} fd_set;

#define __DRYSTONE_FD_WORD(fd, set) ((set)->__bits[(fd) / (8 * (int)sizeof(long))])
#define __DRYSTONE_FD_BIT(fd) ((long)(1UL << ((fd) % (8 * (int)sizeof(long)))))
#define FD_ZERO(set) ((void)(*(set) = (fd_set){{0}}))
#define FD_SET(fd, set) ((void)(__DRYSTONE_FD_WORD(fd, set) |= __DRYSTONE_FD_BIT(fd)))
#define FD_CLR(fd, set) ((void)(__DRYSTONE_FD_WORD(fd, set) &= ~__DRYSTONE_FD_BIT(fd)))
#define FD_ISSET(fd, set) ((__DRYSTONE_FD_WORD(fd, set) & __DRYSTONE_FD_BIT(fd)) != 0)

int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
int pselect(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);

#endif
