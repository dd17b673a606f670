#ifndef DRYSTONE_FNMATCH_H
#define DRYSTONE_FNMATCH_H

#define FNM_PATHNAME 1
#define FNM_FILE_NAME 1
#define FNM_NOMATCH 1
#define FNM_NOESCAPE 2
#define FNM_PERIOD 4
#define FNM_LEADING_DIR 8
#define FNM_CASEFOLD 16
#define FNM_EXTMATCH 32

int fnmatch(const char *, const char *, int);

#endif
