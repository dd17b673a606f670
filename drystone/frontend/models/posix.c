/* <unistd.h>, <fcntl.h>, <sys/mman.h>, <sys/socket.h>, <sys/stat.h>, <sched.h>, <signal.h>, <fenv.h>, <locale.h>, <arpa/inet.h>,
 * <poll.h>, <sys/wait.h>, <syslog.h>: what does not read or write streams.
 *
 * Exact: sets of signals, byte orders, the C locale (the only one), rounding to nearest (the only mode), anonymous private
 * memory (which may be refused). Effects: results of the system, which its state determines, in their ranges; errno may be set.
 * What waits for others, or has a signal sent, may be the last that the program does. */
#include "effects.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Primitives: fresh memory that begins at a page; does the program call a function that makes pipes, or one that sends signals? */
void *__drystone_pages(size_t);
int __drystone_has_pipes(void);
int __drystone_sends_signals(void);
void *malloc(size_t);
void free(void *);
int *__errno_location(void);
int __VERIFIER_nondet_int(void);
int __VERIFIER_nondet_approximate_int(void);
#define EINVAL 22

/* 0, or -1 and an error. */
#define STATUS \
  do { \
    SETS_ERRNO; \
    RESULT(int, result == 0 || result == -1); \
  } while (0)
/* A number that is not negative, or -1 and an error. */
#define DESCRIPTOR \
  do { \
    SETS_ERRNO; \
    RESULT(int, result >= -1); \
  } while (0)
/* How many of n bytes, or -1 and an error. */
#define BYTES(n) \
  do { \
    SETS_ERRNO; \
    RESULT(ssize_t, result >= -1 && (result < 0 || (size_t)result <= (n))); \
  } while (0)

/* files */
static void __drystone_waits(void) {
  if (__drystone_has_pipes())
    MAY_NOT_RETURN;
}
int open(const char *name, int flags, ...) {
  __drystone_waits();
  DESCRIPTOR;
}
int openat(int folder, const char *name, int flags, ...) {
  __drystone_waits();
  DESCRIPTOR;
}
int creat(const char *name, mode_t mode) {
  __drystone_waits();
  DESCRIPTOR;
}
int close(int file) { STATUS; }
int dup(int file) { DESCRIPTOR; }
int dup2(int file, int other) {
  SETS_ERRNO;
  RESULT(int, result == other || result == -1);
}
ssize_t pwrite(int file, const void *from, size_t n, off_t offset) { BYTES(n); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  __drystone_waits();
  SETS_ERRNO;
  RESULT(ssize_t, result >= -1);
}
off_t lseek(int file, off_t offset, int whence) {
  SETS_ERRNO;
  RESULT(off_t, result >= -1);
}
int fsync(int file) { STATUS; }
int fdatasync(int file) { STATUS; }
void sync(void) {}
int ftruncate(int file, off_t size) { STATUS; }
int truncate(const char *name, off_t size) { STATUS; }
int isatty(int file) {
  SETS_ERRNO;
  RESULT(int, result == 0 || result == 1);
}
int access(const char *name, int mode) { STATUS; }
int chdir(const char *name) { STATUS; }
int fchdir(int folder) { STATUS; }
int chown(const char *name, uid_t user, gid_t group) { STATUS; }
int chroot(const char *name) { STATUS; }
int chmod(const char *name, mode_t mode) { STATUS; }
int fchmod(int file, mode_t mode) { STATUS; }
int link(const char *from, const char *to) { STATUS; }
int symlink(const char *from, const char *to) { STATUS; }
int unlink(const char *name) { STATUS; }
int rmdir(const char *name) { STATUS; }
int mkdir(const char *name, mode_t mode) { STATUS; }
int mkfifo(const char *name, mode_t mode) { STATUS; }
int mknod(const char *name, mode_t mode, dev_t device) { STATUS; }
mode_t umask(mode_t mask) { RESULT(mode_t, result <= 0777); }

ssize_t pread(int file, void *to, size_t n, off_t offset) {
  WRITES(to, n);
  BYTES(n);
}
ssize_t readlink(const char *name, char *to, size_t n) {
  WRITES(to, n);
  BYTES(n);
}
char *getcwd(char *to, size_t n) {
  if (to == 0)
    REFUSE("a buffer that it allocates");
  WRITES(to, n);
  SETS_ERRNO;
  RESULT_WITHIN(to, 0, 1);
}
int pipe(int pair[2]) {
  WRITES_OBJECT(&pair[0]);
  WRITES_OBJECT(&pair[1]);
  STATUS;
}
int stat(const char *name, struct stat *state) {
  WRITES_OBJECT(state);
  STATUS;
}
int lstat(const char *name, struct stat *state) {
  WRITES_OBJECT(state);
  STATUS;
}
int fstat(int file, struct stat *state) {
  WRITES_OBJECT(state);
  STATUS;
}
int poll(struct pollfd *files, nfds_t n, int timeout) {
  if (timeout < 0)
    MAY_NOT_RETURN;
  for (nfds_t i = 0; i < n; i++)
    WRITES_OBJECT(&files[i].revents);
  SETS_ERRNO;
  RESULT(int, result >= -1 && (result < 0 || (nfds_t)result <= n));
}

/* Commands whose argument is a number, if any; others may write to what it points to. */
int fcntl(int file, int command, ...) {
  if (command < F_DUPFD || command > F_SETFL)
    REFUSE("a command with another argument");
  DESCRIPTOR;
}

/* sockets */
int socket(int domain, int type, int protocol) { DESCRIPTOR; }
int socketpair(int domain, int type, int protocol, int pair[2]) {
  WRITES_OBJECT(&pair[0]);
  WRITES_OBJECT(&pair[1]);
  STATUS;
}
int bind(int file, const struct sockaddr *address, socklen_t size) { STATUS; }
int listen(int file, int backlog) { STATUS; }
int connect(int file, const struct sockaddr *address, socklen_t size) {
  MAY_NOT_RETURN;
  STATUS;
}
int shutdown(int file, int how) { STATUS; }
int setsockopt(int file, int level, int option, const void *value, socklen_t size) { STATUS; }
ssize_t send(int file, const void *from, size_t n, int flags) {
  MAY_NOT_RETURN;
  BYTES(n);
}
ssize_t sendto(int file, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t size) {
  MAY_NOT_RETURN;
  BYTES(n);
}

ssize_t recv(int file, void *to, size_t n, int flags) {
  MAY_NOT_RETURN;
  WRITES(to, n);
  if (flags != 0)
    REFUSE("flags"); /* MSG_TRUNC returns more than n */
  BYTES(n);
}

/* byte order: the machine is little-endian */
#undef htons /* macros in some headers */
#undef ntohs
#undef htonl
#undef ntohl
uint16_t htons(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint16_t ntohs(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
uint32_t htonl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
uint32_t ntohl(uint32_t x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }

in_addr_t inet_addr(const char *text) {
  NEEDS(text);
  RESULT(in_addr_t, 1);
}
int inet_aton(const char *text, struct in_addr *address) {
  NEEDS(text);
  if (address != 0)
    WRITES_OBJECT(address);
  RESULT(int, result == 0 || result == 1);
}
int inet_pton(int family, const char *text, void *address) {
  WRITES(address, family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0);
  SETS_ERRNO;
  RESULT(int, -1 <= result && result <= 1);
}
const char *inet_ntop(int family, const void *address, char *text, socklen_t size) {
  WRITES(text, size);
  SETS_ERRNO;
  RESULT_WITHIN(text, 0, 1);
}
static char __drystone_address[18];
char *inet_ntoa(struct in_addr address) {
  LIBRARY_OBJECT(char, text, __drystone_address[0], 0)
  WRITES(text, 17);
  return text;
}

/* processes */
static pid_t __drystone_process, __drystone_child;
pid_t getpid(void) {
  if (__drystone_process == 0) {
    __drystone_process = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 < __drystone_process && __drystone_process <= 4194304); /* PID_MAX_LIMIT */
  }
  return __drystone_process;
}
/* Both processes go on, and which of them this is, the result says. The child has a new number; whether one that an earlier child
 * had is new again, the system knows. */
pid_t fork(void) {
  SETS_ERRNO;
  if (__drystone_sends_signals())
    MAY_NOT_RETURN; /* one of them may end the other */
  pid_t self = getpid(), child = __drystone_child == 0 ? __VERIFIER_nondet_int() : __VERIFIER_nondet_approximate_int();
  __VERIFIER_assume(0 < child && child <= 4194304 && child != self);
  int result = __VERIFIER_nondet_int();
  if (result < 0)
    return -1;
  __drystone_child = child;
  if (result > 0)
    return child;
  __drystone_process = child;
  return 0;
}
pid_t wait(int *status) {
  MAY_NOT_RETURN;
  if (status != 0)
    WRITES_OBJECT(status);
  SETS_ERRNO;
  RESULT(pid_t, result == -1 || result > 0);
}
pid_t waitpid(pid_t process, int *status, int options) {
  if ((options & WNOHANG) == 0)
    MAY_NOT_RETURN;
  if (status != 0)
    WRITES_OBJECT(status);
  SETS_ERRNO;
  RESULT(pid_t, result >= -1);
}
pid_t getppid(void) { RESULT(pid_t, result >= 0); }
pid_t getpgrp(void) { RESULT(pid_t, result > 0); }
pid_t setsid(void) {
  SETS_ERRNO;
  RESULT(pid_t, result == -1 || result > 0);
}
int setpgid(pid_t process, pid_t group) { STATUS; }
uid_t getuid(void) { RESULT(uid_t, 1); }
uid_t geteuid(void) { RESULT(uid_t, 1); }
gid_t getgid(void) { RESULT(gid_t, 1); }
gid_t getegid(void) { RESULT(gid_t, 1); }
int setuid(uid_t user) { STATUS; }
int seteuid(uid_t user) { STATUS; }
int setgid(gid_t group) { STATUS; }
int setegid(gid_t group) { STATUS; }
int nice(int increment) {
  SETS_ERRNO;
  RESULT(int, 1);
}
unsigned int alarm(unsigned int seconds) {
  if (seconds != 0)
    MAY_NOT_RETURN;
  RESULT(unsigned, 1);
}
long sysconf(int name) {
  SETS_ERRNO;
  RESULT(long, 1);
}
int getpagesize(void) { RESULT(int, result > 0); }
int gethostname(char *name, size_t n) {
  WRITES(name, n);
  STATUS;
}
static char __drystone_name[256];
char *getlogin(void) {
  SETS_ERRNO;
  LIBRARY_OBJECT(char, name, __drystone_name[0], 1)
  WRITES(name, 255);
  return name;
}
char *ttyname(int file) {
  SETS_ERRNO;
  LIBRARY_OBJECT(char, name, __drystone_name[0], 1)
  WRITES(name, 255);
  return name;
}

/* scheduling */
int sched_yield(void) { return 0; }
int sched_get_priority_max(int policy) { DESCRIPTOR; }
int sched_get_priority_min(int policy) { DESCRIPTOR; }
int sched_getscheduler(pid_t process) { DESCRIPTOR; }
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters) { DESCRIPTOR; }
int sched_getparam(pid_t process, struct sched_param *parameters) {
  WRITES_OBJECT(parameters);
  STATUS;
}
int sched_setparam(pid_t process, const struct sched_param *parameters) { STATUS; }
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) { STATUS; }
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  WRITES(set, size);
  STATUS;
}
int sched_getcpu(void) { DESCRIPTOR; }

/* memory */
#define PAGE 4096
void *mmap(void *address, size_t n, int protection, int flags, int file, off_t offset) {
  if ((flags & (MAP_ANONYMOUS | MAP_PRIVATE | MAP_FIXED)) != (MAP_ANONYMOUS | MAP_PRIVATE))
    REFUSE("memory of a file or at a fixed address");
  if (address != 0)
    REFUSE("memory at an address that is asked for");
  if ((protection & 3) != 3)
    REFUSE("memory that cannot be read and written");
  SETS_ERRNO;
  if (n == 0 || n > (size_t)-PAGE || __VERIFIER_nondet_approximate_uchar() == 0)
    return MAP_FAILED;
  void *memory = __drystone_pages((n + PAGE - 1) / PAGE * PAGE);
  return memory == 0 ? MAP_FAILED : memory;
}
int munmap(void *address, size_t n) {
  free(malloc(1)); /* part of a block or all of it: other memory may lie there from now on */
  STATUS;
}
int mprotect(void *address, size_t n, int protection) {
  if ((protection & 3) != 3)
    REFUSE("memory that cannot be read and written");
  STATUS;
}
int mlock(const void *address, size_t n) { STATUS; }
int munlock(const void *address, size_t n) { STATUS; }

/* signals: sets of 64, of which the C library keeps 32 and 33 for itself */
enum { BITS = 8 * sizeof(unsigned long) };

static _Bool __drystone_is_signal(int number) { return 0 < number && number < 65; }

int sigemptyset(sigset_t *set) {
  unsigned long *words = (unsigned long *)set;
  for (unsigned i = 0; i < sizeof *set / sizeof *words; i++)
    words[i] = 0;
  return 0;
}
int sigfillset(sigset_t *set) {
  unsigned long *words = (unsigned long *)set;
  for (unsigned i = 0; i < sizeof *set / sizeof *words; i++)
    words[i] = ~0UL;
  words[31 / BITS] &= ~(1UL << 31 % BITS);
  words[32 / BITS] &= ~(1UL << 32 % BITS);
  return 0;
}
int sigaddset(sigset_t *set, int number) {
  if (!__drystone_is_signal(number) || number == 32 || number == 33) {
    *__errno_location() = EINVAL;
    return -1;
  }
  ((unsigned long *)set)[(number - 1) / BITS] |= 1UL << (number - 1) % BITS;
  return 0;
}
int sigdelset(sigset_t *set, int number) {
  if (!__drystone_is_signal(number) || number == 32 || number == 33) {
    *__errno_location() = EINVAL;
    return -1;
  }
  ((unsigned long *)set)[(number - 1) / BITS] &= ~(1UL << (number - 1) % BITS);
  return 0;
}
int sigismember(const sigset_t *set, int number) {
  if (!__drystone_is_signal(number)) {
    *__errno_location() = EINVAL;
    return -1;
  }
  return (((const unsigned long *)set)[(number - 1) / BITS] >> (number - 1) % BITS & 1) != 0;
}

/* floating-point environment: exceptions are not followed */
int feclearexcept(int exceptions) { RESULT(int, 1); }
int feraiseexcept(int exceptions) { RESULT(int, 1); }
int fetestexcept(int exceptions) { RESULT(int, (result & ~exceptions) == 0); }
int fegetexceptflag(fexcept_t *flag, int exceptions) {
  WRITES_OBJECT(flag);
  RESULT(int, 1);
}
int fesetexceptflag(const fexcept_t *flag, int exceptions) { RESULT(int, 1); }
int fegetround(void) { return FE_TONEAREST; }
int fegetenv(fenv_t *environment) {
  WRITES_OBJECT(environment);
  RESULT(int, 1);
}
int feholdexcept(fenv_t *environment) {
  WRITES_OBJECT(environment);
  RESULT(int, 1);
}

/* locale: that of the environment is taken to be C, too */
char *setlocale(int category, const char *name) {
  static char c[] = "C";
  SETS_ERRNO;
  if (category < 0 || category > 12)
    return 0;
  if (name == 0 || name[0] == 0 || (name[0] == 'C' && name[1] == 0))
    return c;
  if (name[0] == 'P' && name[1] == 'O' && name[2] == 'S' && name[3] == 'I' && name[4] == 'X' && name[5] == 0)
    return c;
  REFUSE("another locale than C");
  return 0;
}

struct lconv *localeconv(void) {
  static char point[] = ".", empty[] = "";
  static struct lconv c;
  c = (struct lconv){.decimal_point = point,
                     .thousands_sep = empty,
                     .grouping = empty,
                     .int_curr_symbol = empty,
                     .currency_symbol = empty,
                     .mon_decimal_point = empty,
                     .mon_thousands_sep = empty,
                     .mon_grouping = empty,
                     .positive_sign = empty,
                     .negative_sign = empty,
                     .int_frac_digits = 127,
                     .frac_digits = 127,
                     .p_cs_precedes = 127,
                     .p_sep_by_space = 127,
                     .n_cs_precedes = 127,
                     .n_sep_by_space = 127,
                     .p_sign_posn = 127,
                     .n_sign_posn = 127,
                     .int_p_cs_precedes = 127,
                     .int_p_sep_by_space = 127,
                     .int_n_cs_precedes = 127,
                     .int_n_sep_by_space = 127,
                     .int_p_sign_posn = 127,
                     .int_n_sign_posn = 127};
  return &c;
}

/* the system's log: %n would count */
void openlog(const char *name, int options, int facility) {}
void closelog(void) {}
void syslog(int priority, const char *format, ...) {
  for (const char *s = format; *s != 0; s++)
    if (*s == '%') {
      do
        s++;
      while (*s == '-' || *s == '+' || *s == ' ' || *s == '#' || *s == '\'' || *s == '.' || *s == '*' || *s == '$' ||
             ('0' <= *s && *s <= '9') || *s == 'h' || *s == 'l' || *s == 'j' || *s == 'z' || *s == 't' || *s == 'L' || *s == 'q');
      if (*s == 'n')
        REFUSE("%n");
      if (*s == 0)
        return;
    }
}
