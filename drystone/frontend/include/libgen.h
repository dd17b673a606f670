#ifndef DRYSTONE_LIBGEN_H
#define DRYSTONE_LIBGEN_H

char *basename(char *);
char *dirname(char *);

#endif
