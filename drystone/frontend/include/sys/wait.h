#ifndef DRYSTONE_SYS_WAIT_H
#define DRYSTONE_SYS_WAIT_H

#include <drystone_types.h>
#include <signal.h>

#define WNOHANG 1
#define WUNTRACED 2
#define WCONTINUED 8
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WTERMSIG(status) ((status) & 0x7f)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) ((signed char)(((status) & 0x7f) + 1) >> 1 > 0)
#define WIFSTOPPED(status) (((status) & 0xff) == 0x7f)

pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);

typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
#define WSTOPPED 2
#define WEXITED 4
#define WNOWAIT 0x1000000
#define WIFCONTINUED(status) ((status) == 0xffff)
int waitid(idtype_t, id_t, siginfo_t *, int);

#endif
