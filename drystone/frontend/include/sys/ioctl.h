#ifndef DRYSTONE_SYS_IOCTL_H
#define DRYSTONE_SYS_IOCTL_H

int ioctl(int, unsigned long, ...);

#endif
