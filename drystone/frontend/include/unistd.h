#ifndef DRYSTONE_UNISTD_H
#define DRYSTONE_UNISTD_H

#include <drystone_types.h>

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define _SC_CLK_TCK 2
#define _SC_OPEN_MAX 4
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _POSIX_VERSION 200809L

extern char **environ;
extern char *optarg;
extern int optind;
extern int opterr;
extern int optopt;

ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
int close(int);
off_t lseek(int, off_t, int);
int pipe(int[2]);
int dup(int);
int dup2(int, int);
int fsync(int);
int fdatasync(int);
void sync(void);
int ftruncate(int, off_t);
int truncate(const char *, off_t);
int isatty(int);
char *ttyname(int);

int access(const char *, int);
int chdir(const char *);
int fchdir(int);
int chown(const char *, uid_t, gid_t);
int chroot(const char *);
char *getcwd(char *, size_t);
int link(const char *, const char *);
int symlink(const char *, const char *);
ssize_t readlink(const char *, char *, size_t);
int unlink(const char *);
int rmdir(const char *);

pid_t fork(void);
pid_t vfork(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t setsid(void);
int setpgid(pid_t, pid_t);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t);
int seteuid(uid_t);
int setgid(gid_t);
int setegid(gid_t);
int execl(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execv(const char *, char *const[]);
int execve(const char *, char *const[], char *const[]);
int execvp(const char *, char *const[]);
_Noreturn void _exit(int);

unsigned int alarm(unsigned int);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
int pause(void);
int nice(int);
long sysconf(int);
long syscall(long, ...);
int getpagesize(void);
int gethostname(char *, size_t);
char *getlogin(void);
int getopt(int, char *const[], const char *);
int brk(void *);
void *sbrk(__INTPTR_TYPE__);
void swab(const void *, void *, ssize_t);
int daemon(int, int);

#endif
