/* The models of posix.c: what the system does is among what they allow.
 *
 * Not called: sync (slow), chroot and the changes of users and groups to others, which the tests may be allowed to do. */
#define _GNU_SOURCE
#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#undef sigemptyset
#undef sigfillset

MODEL(open); MODEL(openat); MODEL(creat); MODEL(close); MODEL(dup); MODEL(dup2); MODEL(pwrite); MODEL(writev);
MODEL(lseek); MODEL(fsync); MODEL(fdatasync); MODEL(ftruncate); MODEL(truncate); MODEL(isatty); MODEL(access); MODEL(chdir);
MODEL(fchdir); MODEL(chown); MODEL(chmod); MODEL(fchmod); MODEL(link); MODEL(symlink); MODEL(unlink); MODEL(rmdir); MODEL(mkdir);
MODEL(mkfifo); MODEL(mknod); MODEL(umask); MODEL(fcntl); MODEL(socket); MODEL(socketpair); MODEL(listen); MODEL(shutdown);
MODEL(setsockopt); MODEL(send); MODEL(htons); MODEL(ntohs); MODEL(htonl); MODEL(ntohl); MODEL(inet_addr); MODEL(inet_aton);
MODEL(inet_pton); MODEL(inet_ntop); MODEL(inet_ntoa); MODEL(getpid); MODEL(fork); MODEL(getppid); MODEL(getpgrp); MODEL(setsid); MODEL(setpgid);
MODEL(getuid); MODEL(geteuid); MODEL(getgid); MODEL(getegid); MODEL(setuid); MODEL(seteuid); MODEL(setgid); MODEL(setegid);
MODEL(nice); MODEL(alarm); MODEL(sysconf); MODEL(getpagesize); MODEL(gethostname); MODEL(getlogin); MODEL(ttyname);
MODEL(sched_yield); MODEL(sched_get_priority_max); MODEL(sched_get_priority_min); MODEL(sched_getscheduler);
MODEL(sched_setscheduler); MODEL(sched_getparam); MODEL(sched_setparam); MODEL(sched_setaffinity); MODEL(sched_getaffinity);
MODEL(sched_getcpu); MODEL(mmap); MODEL(munmap); MODEL(mprotect); MODEL(mlock); MODEL(munlock); MODEL(sigemptyset);
MODEL(sigfillset); MODEL(sigaddset); MODEL(sigdelset); MODEL(sigismember);
MODEL(feclearexcept); MODEL(feraiseexcept); MODEL(fetestexcept); MODEL(fegetexceptflag); MODEL(fesetexceptflag);
MODEL(fegetround); MODEL(fegetenv); MODEL(feholdexcept); MODEL(setlocale); MODEL(localeconv); MODEL(openlog); MODEL(closelog);
MODEL(syslog); MODEL(pread); MODEL(readlink); MODEL(getcwd); MODEL(pipe); MODEL(stat); MODEL(lstat); MODEL(fstat); MODEL(poll);
MODEL(recv); MODEL(wait); MODEL(waitpid);
extern int model_bind(int, const struct sockaddr *, socklen_t), model_connect(int, const struct sockaddr *, socklen_t);
extern ssize_t model_sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

static const char *name(void) {
  static const char *names[] = {"/nowhere/at/all", "/dev/null", "", "/", ".", "/dev/null/x"};
  return names[random_below(6)];
}

static int file(void) { return random_below(3) ? open("/dev/null", O_RDWR) : -1; }

static void check_files(void) {
  const char *a = name(), *none = "/nowhere/at/all/b";
  int f = file(), other = file(), flags = random_below(3);
  char data[64] = "data";
  struct iovec parts[2] = {{data, 3}, {data, (size_t)random_below(60)}};
  size_t n = (size_t)random_below(60);
  ALLOWS(open, a, flags);
  ALLOWS(openat, AT_FDCWD, a, flags);
  ALLOWS(creat, none, 0600);
  ALLOWS(dup, f);
  ALLOWS(dup2, f, other);
  ALLOWS(pwrite, f, data, n, 3);
  ALLOWS(writev, f, parts, 2);
  ALLOWS(lseek, f, (off_t)random_below(1), flags);
  ALLOWS(fsync, f);
  ALLOWS(fdatasync, f);
  ALLOWS(ftruncate, f, 3);
  ALLOWS(truncate, none, 3);
  ALLOWS(isatty, f);
  ALLOWS(access, a, flags);
  ALLOWS(chdir, none);
  ALLOWS(fchdir, f);
  ALLOWS(chown, none, getuid(), getgid());
  ALLOWS(chmod, none, 0600);
  ALLOWS(fchmod, -1, 0600);
  ALLOWS(link, none, none);
  ALLOWS(symlink, none, none);
  ALLOWS(unlink, none);
  ALLOWS(rmdir, none);
  ALLOWS(mkdir, none, 0700);
  ALLOWS(mkfifo, none, 0600);
  ALLOWS(mknod, none, S_IFIFO | 0600, 0);
  ALLOWS(umask, 022);
  char text[64];
  int pair[2] = {-1, -1};
  struct stat state;
  memset(text, 'x', sizeof text);
  memset(&state, 7, sizeof state);
  struct pollfd polled[2] = {{f, POLLIN, 9}, {0, POLLOUT, 9}};
  watch(text, sizeof text);
  watch(pair, sizeof pair);
  watch(&state, sizeof state);
  watch(polled, sizeof polled);
  int zero = open("/dev/zero", O_RDONLY);
  ALLOWS(pread, zero, text, n, 3);
  ALLOWS(readlink, "/proc/self/exe", text, n);
  ALLOWS(readlink, a, text, n);
  ALLOWS(getcwd, text, n);
  ALLOWS(pipe, pair);
  ALLOWS(recv, f, text, n, 0);
  ALLOWS(stat, a, &state);
  ALLOWS(lstat, a, &state);
  ALLOWS(fstat, f, &state);
  ALLOWS(poll, polled, 1 + n % 2, 0);
  unwatch();
  static const int commands[] = {F_GETFD, F_GETFL, F_SETFD, F_DUPFD};
  int command = commands[random_below(4)];
  ALLOWS(fcntl, f, command, 0);
  ALLOWS(close, f);
  ALLOWS(close, -1);
  for (int i = 3; i < 40; i++)
    close(i);
}

static void check_sockets(void) {
  int pair[2] = {-1, -1}, domain = random_below(3) ? AF_UNIX : -1, f = file();
  struct sockaddr address = {.sa_family = 77};
  char data[8] = "data";
  watch(pair, sizeof pair);
  ALLOWS(socketpair, domain, SOCK_STREAM, 0, pair);
  unwatch();
  ALLOWS(socket, domain, SOCK_STREAM, 0);
  ALLOWS(send, pair[0], data, 4, MSG_NOSIGNAL);
  ALLOWS(sendto, pair[0], data, 4, MSG_NOSIGNAL, NULL, 0);
  ALLOWS(listen, f, 3);
  ALLOWS(shutdown, pair[0], 1);
  ALLOWS(setsockopt, f, SOL_SOCKET, SO_REUSEADDR, &f, sizeof f);
  int bound = bind(f, &address, sizeof address), connected = connect(f, &address, sizeof address);
  errno = 0;
  watch_after("bind", &bound, sizeof bound);
  CHECK(RUNS(model_bind(f, &address, sizeof address)), "bind");
  watch_after("connect", &connected, sizeof connected);
  CHECK(RUNS(model_connect(f, &address, sizeof address)), "connect");
  for (int i = 3; i < 40; i++)
    close(i);
}

static void check_addresses(void) {
  static const char *texts[] = {"127.0.0.1", "1.2.3", "x", "", "::1", "256.1.1.1", "fe80::1:2", "10.0.0.255"};
  const char *text = texts[random_below(8)];
  uint32_t x = (uint32_t)random_bits();
  struct in_addr address = {x};
  unsigned char bytes[20];
  char out[64];
  memset(out, random_below(256), sizeof out);
  for (int i = 0; i < 20; i++)
    bytes[i] = (unsigned char)random_bits();
  int family = random_below(3) == 0 ? AF_INET : random_below(2) ? AF_INET6 : 99;
  socklen_t size = (socklen_t)random_below(60);
  ALLOWS(htons, (uint16_t)x);
  ALLOWS(ntohs, (uint16_t)x);
  ALLOWS(htonl, x);
  ALLOWS(ntohl, x);
  ALLOWS(inet_addr, text);
  watch(&address, sizeof address);
  watch(bytes, sizeof bytes);
  watch(out, sizeof out);
  ALLOWS(inet_aton, text, &address);
  ALLOWS(inet_pton, family, text, bytes);
  ALLOWS(inet_ntop, family, bytes, out, size);
  ALLOWS(inet_ntoa, address);
  unwatch();
}

static void check_processes(void) {
  char host[100];
  size_t n = (size_t)random_below(100);
  struct sched_param parameters = {0};
  cpu_set_t set;
  CPU_ZERO(&set);
  int policy = random_below(8) - 1, process = random_below(2) ? 0 : -5;
  script(1, (uint64_t)getpid());
  pid_t known = 0;
  CHECK(RUNS(known = model_getpid()) && known == getpid() && model_getpid() == known, "getpid");
  pid_t child = fork(), again = -2;
  if (child == 0)
    _exit(0);
  int status = 77;
  watch(&status, sizeof status);
  ALLOWS(waitpid, child, &status, 0);
  ALLOWS(wait, &status);
  unwatch();
  script(2, (uint64_t)child, (uint64_t)1);
  CHECK(RUNS(again = model_fork()) && again == child && model_getpid() == known, "fork");
  script(2, (uint64_t)child, (uint64_t)0);
  CHECK(RUNS(again = model_fork()) && again == 0 && model_getpid() == child, "fork");
  script(2, (uint64_t)known, (uint64_t)0);
  CHECK(RUNS(again = model_fork()) && again == 0 && model_getpid() == known, "fork");
  ALLOWS(getppid);
  ALLOWS(getpgrp);
  ALLOWS(setsid);
  ALLOWS(setpgid, -1, -1);
  ALLOWS(getuid);
  ALLOWS(geteuid);
  ALLOWS(getgid);
  ALLOWS(getegid);
  ALLOWS(setuid, getuid());
  ALLOWS(seteuid, geteuid());
  ALLOWS(setgid, getgid());
  ALLOWS(setegid, getegid());
  ALLOWS(nice, 0);
  ALLOWS(alarm, 0);
  int name = random_below(120);
  ALLOWS(sysconf, name);
  ALLOWS(getpagesize);
  memset(host, 7, sizeof host);
  watch(host, sizeof host);
  watch(&parameters, sizeof parameters);
  watch(&set, sizeof set);
  ALLOWS(gethostname, host, n);
  ALLOWS(getlogin);
  ALLOWS(ttyname, 0);
  ALLOWS(sched_yield);
  ALLOWS(sched_get_priority_max, policy);
  ALLOWS(sched_get_priority_min, policy);
  ALLOWS(sched_getscheduler, process);
  ALLOWS(sched_setscheduler, process, 99, &parameters);
  ALLOWS(sched_getparam, process, &parameters);
  ALLOWS(sched_setparam, process, &parameters);
  ALLOWS(sched_getaffinity, process, sizeof set, &set);
  ALLOWS(sched_setaffinity, -5, sizeof set, &set);
  ALLOWS(sched_getcpu);
  unwatch();
}

static void check_memory(void) {
  size_t n = (size_t)random_below(3) * 5000;
  void *memory = NULL, *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(!RUNS(model_mmap(NULL, n, PROT_READ, MAP_SHARED, 0, 0)), "mmap of a file");
  script(1, (uint64_t)1);
  CHECK(RUNS(memory = model_mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), "mmap");
  CHECK((memory == MAP_FAILED) == (n == 0), "mmap");
  if (memory != MAP_FAILED) {
    CHECK(((char *)memory)[n - 1] == 0, "mmap");
    free(memory);
  }
  ALLOWS(mlock, own, 10);
  ALLOWS(munlock, own, 10);
  CHECK(!RUNS(model_mmap(NULL, 9, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), "mmap of what cannot be written");
  CHECK(!RUNS(model_mmap(own, 9, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), "mmap with a wish");
  CHECK(!RUNS(model_mprotect(own, 4096, PROT_READ)), "mprotect against writing");
  ALLOWS(mprotect, own, 4096, PROT_READ | PROT_WRITE);
  ALLOWS(munmap, own, 4096);
}

static void check_signals(void) {
  sigset_t set, old;
  memset(&set, random_below(256), sizeof set);
  memset(&old, 5, sizeof old);
  int number = random_below(70) - 2;
  watch(&set, sizeof set);
  watch(&old, sizeof old);
  /* glibc leaves what is beyond 64 signals alone */
  if (random_below(2)) {
    sigfillset(&set);
    model_sigfillset(&old);
  } else {
    sigemptyset(&set);
    model_sigemptyset(&old);
  }
  CHECK(memcmp(&set, &old, 8) == 0, "a set of signals");
  ALLOWS(sigaddset, &set, number);
  ALLOWS(sigismember, &set, number);
  ALLOWS(sigdelset, &set, number);
  ALLOWS(sigismember, &set, number);
  unwatch();
}

static void check_environment(void) {
  int mask = random_below(64);
  fexcept_t flag = 0;
  fenv_t environment;
  memset(&environment, 0, sizeof environment);
  watch(&flag, sizeof flag);
  watch(&environment, sizeof environment);
  ALLOWS(feclearexcept, mask);
  ALLOWS(feraiseexcept, FE_INEXACT);
  ALLOWS(fetestexcept, mask);
  ALLOWS(fegetexceptflag, &flag, FE_ALL_EXCEPT);
  ALLOWS(fesetexceptflag, &flag, FE_INEXACT);
  ALLOWS(fegetround);
  ALLOWS(fegetenv, &environment);
  ALLOWS(feholdexcept, &environment);
  unwatch();
  static const char *locales[] = {NULL, "C", "POSIX", ""};
  const char *locale = locales[random_below(4)];
  CHECK(strcmp(setlocale(LC_ALL, locale), model_setlocale(LC_ALL, locale)) == 0, "setlocale");
  CHECK(!RUNS(model_setlocale(LC_ALL, "de_DE")), "setlocale");
  CHECK(setlocale(99, "C") == NULL && model_setlocale(99, "C") == NULL, "setlocale of no category");
  struct lconv *real = localeconv(), *model = model_localeconv();
  CHECK(strcmp(real->decimal_point, model->decimal_point) == 0 && strcmp(real->grouping, model->grouping) == 0, "localeconv");
  CHECK(strcmp(real->int_curr_symbol, model->int_curr_symbol) == 0 && strcmp(real->negative_sign, model->negative_sign) == 0, "localeconv");
  CHECK(memcmp(&real->int_frac_digits, &model->int_frac_digits, 14) == 0, "localeconv");
  model_openlog("check", 0, 0);
  model_closelog();
  int count = 0;
  CHECK(RUNS(model_syslog(LOG_INFO, "%s 100%% %-5ld", "x", 3L)), "syslog");
  CHECK(!RUNS(model_syslog(LOG_INFO, "%d%hhn", 3, &count)), "syslog");
}

int main(void) {
  setenv("LC_ALL", "C", 1);
  for (int round = 0; round < 200; round++) {
    check_files();
    check_sockets();
    check_addresses();
    check_processes();
    check_memory();
    check_signals();
    check_environment();
  }
  return 0;
}
