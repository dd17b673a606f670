#ifndef DRYSTONE_GRP_H
#define DRYSTONE_GRP_H

#include <drystone_types.h>

struct group {
  char *gr_name;
  char *gr_passwd;
  gid_t gr_gid;
  char **gr_mem;
};

void setgrent(void);
void endgrent(void);
struct group *getgrent(void);
struct group *getgrgid(gid_t);
struct group *getgrnam(const char *);
int getgrgid_r(gid_t, struct group *, char *, size_t, struct group **);
int getgrnam_r(const char *, struct group *, char *, size_t, struct group **);

#endif
