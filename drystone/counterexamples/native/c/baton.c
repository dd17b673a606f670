/* Threads of a compiled program that run one at a time, by a schedule.
 *
 * The program is compiled for the thread sanitizer, but linked with this file instead of the sanitizer's library: it calls a function
 * here before each access to memory that others may know, and for each operation on threads. Whoever has the baton runs. At a point
 * of the schedule a thread waits until all points before it have been passed; then it goes on to its next one. What the compiled
 * program does and the schedule does not mention is passed at once: it is nothing that others notice. An optional point of the schedule
 * that the compiled program does not come to is left out. Locks, semaphores and so on are C text over atomic sections, the same that drystone
 * reads, which follows below; with a seed instead of a schedule, the next thread is a random one. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { READ, WRITE, SECTION, JOIN, START, END, ATOMIC };
enum { MOST_THREADS = 256, MOST_SITES = 1 << 14, END_CODE = 40, GIVEN_UP_CODE = 44 };

/* From the harness. */
extern const int drystone_points[][6]; /* thread, kind, is optional, file, first line, last line */
extern const int drystone_count;
extern const char *const drystone_files[]; /* as the compiler calls them */
extern const int drystone_file_count;
extern const unsigned int drystone_seed; /* 0: by the schedule */
extern void drystone_final(void);        /* before nothing else happens */

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static struct thread {
  int has_ended;
  int is_held; /* it never goes on */
  int waits;   /* until another one has done something */
  int depth;   /* atomic sections */
  int cursor;  /* the next of its points */
  void *result, *(*function)(void *), *argument;
} threads[MOST_THREADS];
static int count = 1, current, baton;
static unsigned char passed[1 << 20];
static __thread int self;

int drystone_thread(void) { return self; }

static void give_up(const char *why) {
  char text[300];
  int length = snprintf(text, sizeof text, "drystone: thread %d %s\n", self, why);
  if (write(2, text, (size_t)length) < 0)
    _exit(1);
  _exit(GIVEN_UP_CODE);
}

/* Which line a call comes from: addr2line knows. */

static struct site {
  void *address;
  int file, line, is_atomic;
} sites[MOST_SITES];

static FILE *questions, *answers;

static void ask(void) {
  int to[2], from[2];
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/exe", (int)getpid());
  if (pipe(to) != 0 || pipe(from) != 0)
    give_up("cannot ask addr2line");
  if (fork() == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    close(to[1]);
    close(from[0]);
    execlp("addr2line", "addr2line", "-f", "-e", name, (char *)0);
    _exit(1);
  }
  close(to[0]);
  close(from[1]);
  questions = fdopen(to[1], "w");
  answers = fdopen(from[0], "r");
}

static void look_up(struct site *site) {
  char function[1024], place[4096];
  if (!questions)
    ask();
  fprintf(questions, "%p\n", (char *)site->address - 1);
  fflush(questions);
  if (!fgets(function, sizeof function, answers) || !fgets(place, sizeof place, answers))
    give_up("has no line: addr2line is not installed");
  site->is_atomic = strncmp(function, "__VERIFIER_atomic_", 18) == 0;
  char *colon = strrchr(place, ':');
  site->file = -1;
  if (!colon || sscanf(colon, ":%d", &site->line) != 1)
    return;
  *colon = 0;
  char *slash = strrchr(place, '/');
  for (int file = 0; file < drystone_file_count; file++)
    if (strcmp(slash ? slash + 1 : place, drystone_files[file]) == 0)
      site->file = file;
}

static struct site *site_of(void *address) {
  unsigned int place = (unsigned int)((unsigned long)address * 2654435761u) % MOST_SITES;
  while (sites[place].address && sites[place].address != address)
    place = (place + 1) % MOST_SITES;
  if (!sites[place].address) {
    sites[place].address = address;
    look_up(&sites[place]);
  }
  return &sites[place];
}

/* The baton. */

static void hand(int to) {
  __atomic_store_n(&baton, to, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &baton, FUTEX_WAKE_PRIVATE, MOST_THREADS, 0, 0, 0);
}

static void await_baton(void) {
  int now;
  while ((now = __atomic_load_n(&baton, __ATOMIC_SEQ_CST)) != self)
    syscall(SYS_futex, &baton, FUTEX_WAIT_PRIVATE, now, 0, 0, 0);
}

static void over(int code) {
  drystone_final();
  _exit(code);
}

static void for_ever(void) {
  for (;;)
    pause();
}

static unsigned int random_below(unsigned int bound) {
  static unsigned long long state;
  if (!state)
    state = drystone_seed;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned int)(state >> 33) % bound;
}

/* A random one of those that can go on; -1: there is none. */
static int any_thread(void) {
  int able[MOST_THREADS], found = 0;
  for (int number = 0; number < count; number++)
    if (!threads[number].has_ended && !threads[number].is_held && !threads[number].waits)
      able[found++] = number;
  return found ? able[random_below((unsigned int)found)] : -1;
}

/* Who is next, by the schedule or the seed; -1: nobody. */
static int next_thread(void) {
  if (drystone_seed)
    return any_thread();
  while (current < drystone_count && passed[current])
    current++;
  if (current == drystone_count)
    return -1;
  int next = drystone_points[current][0];
  if (next >= count || threads[next].is_held || threads[next].has_ended)
    give_up("is the last one that can go on: the schedule wants another one");
  return next;
}

/* The thread never goes on; if nobody does, it is over. */
static void stop(int code) {
  int next = next_thread();
  if (next < 0)
    over(code);
  hand(next);
  for_ever();
}

static int own_point(int from) {
  while (from < drystone_count && drystone_points[from][0] != self)
    from++;
  return from;
}

void drystone_hold(int code) {
  struct thread *me = &threads[self];
  if (me->depth)
    over(code);
  me->is_held = 1;
  if (!drystone_seed)
    for (int at = own_point(me->cursor); at < drystone_count; at = own_point(at + 1))
      passed[at] = 1;
  stop(code);
}

static int is_it(const int *point, int kind, void *address) {
  if (kind == ATOMIC ? point[1] > SECTION : point[1] != kind)
    return 0;
  if (!address)
    return 1;
  struct site *site = site_of(address);
  return site->file == point[3] && point[4] <= site->line && site->line <= point[5];
}

/* Which point of the schedule it is that the thread has come to; drystone_count: none. */
static int place_of(int kind, void *address) {
  int at = own_point(threads[self].cursor);
  while (at < drystone_count && !is_it(drystone_points[at], kind, address)) {
    if (!drystone_points[at][2])
      return drystone_count;
    at = own_point(at + 1);
  }
  return at;
}

static void arrive(int kind, void *address) {
  struct thread *me = &threads[self];
  int next;
  if (me->depth || count == 1)
    return;
  if (drystone_seed) {
    for (int number = 0; number < count; number++)
      threads[number].waits = 0;
    hand(any_thread());
    await_baton();
    return;
  }
  if (current == drystone_count)
    return;
  if (own_point(me->cursor) == drystone_count && next_thread() >= 0)
    drystone_hold(END_CODE); /* nobody knows what it did after that */
  int at = place_of(kind, address);
  if (at == drystone_count) {
    if (kind == END || kind == JOIN || kind == SECTION)
      give_up("comes to an operation on threads that the schedule does not have there");
    return;
  }
  for (int skipped = own_point(me->cursor); skipped < at; skipped = own_point(skipped + 1))
    passed[skipped] = 1;
  me->cursor = at;
  while ((next = next_thread()) >= 0 && current != at) {
    hand(next);
    await_baton();
  }
  passed[at] = 1;
  me->cursor = at + 1;
}

/* The thread cannot go on before another one has done something. */
void drystone_wait(void) {
  struct thread *me = &threads[self];
  if (!drystone_seed)
    give_up("has to wait where the schedule has it go on");
  if (me->depth > 1)
    over(END_CODE);
  int depth = me->depth, next;
  me->waits = 1;
  if ((next = any_thread()) < 0)
    over(END_CODE);
  hand(next);
  await_baton();
  me->depth = depth;
}

void __drystone_atomic_begin(void) {
  arrive(SECTION, 0);
  threads[self].depth++;
}

void __drystone_atomic_end(void) { threads[self].depth--; }

void __VERIFIER_atomic_begin(void) { __drystone_atomic_begin(); }

void __VERIFIER_atomic_end(void) { __drystone_atomic_end(); }

unsigned int __drystone_self(void) { return (unsigned int)self + 1; }

void __drystone_set_errno(int number) { errno = number; }

int __drystone_wakes(void) { return 0; }

void __drystone_refuse(const char *what) { give_up(what); }

/* Threads. */

static void end(void *result) {
  arrive(END, 0);
  threads[self].result = result;
  threads[self].has_ended = 1;
  stop(END_CODE);
}

static void *begin(void *number) {
  self = (int)(long)number;
  await_baton();
  arrive(START, 0);
  end(threads[self].function(threads[self].argument));
  return 0;
}

int __wrap_pthread_create(pthread_t *identifier, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  pthread_t real;
  __drystone_atomic_begin();
  if (count == MOST_THREADS)
    give_up("creates too many others");
  threads[count].function = function;
  threads[count].argument = argument;
  if (__real_pthread_create(&real, 0, begin, (void *)(long)count) != 0)
    give_up("cannot create another one");
  *identifier = (pthread_t)++count;
  __drystone_atomic_end();
  return 0;
}

int pthread_join(pthread_t identifier, void **result) {
  unsigned long number = (unsigned long)identifier - 1;
  if (number >= (unsigned long)count || number == (unsigned long)self)
    give_up("waits for a thread that there is not");
  arrive(JOIN, 0);
  while (!threads[number].has_ended)
    drystone_wait();
  if (result) {
    arrive(WRITE, __builtin_return_address(0));
    *result = threads[number].result;
  }
  return 0;
}

void pthread_exit(void *result) {
  end(result);
  for_ever();
  __builtin_unreachable();
}

pthread_t pthread_self(void) { return (pthread_t)(self + 1); }

int pthread_equal(pthread_t one, pthread_t other) { return one == other; }

int pthread_detach(pthread_t identifier) { return 0; }

/* What the compiler calls for the thread sanitizer. */

void __tsan_init(void) {}

void __tsan_func_entry(void *caller) {
  if (site_of(__builtin_return_address(0))->is_atomic)
    __drystone_atomic_begin();
}

void __tsan_func_exit(void) {
  if (site_of(__builtin_return_address(0))->is_atomic)
    __drystone_atomic_end();
}

#define ACCESSES(N) \
  void __tsan_read##N(void *p) { arrive(READ, __builtin_return_address(0)); } \
  void __tsan_write##N(void *p) { arrive(WRITE, __builtin_return_address(0)); } \
  void __tsan_unaligned_read##N(void *p) { arrive(READ, __builtin_return_address(0)); } \
  void __tsan_unaligned_write##N(void *p) { arrive(WRITE, __builtin_return_address(0)); } \
  void __tsan_volatile_read##N(void *p) { arrive(READ, __builtin_return_address(0)); } \
  void __tsan_volatile_write##N(void *p) { arrive(WRITE, __builtin_return_address(0)); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *p, unsigned long size) { arrive(READ, __builtin_return_address(0)); }
void __tsan_write_range(void *p, unsigned long size) { arrive(WRITE, __builtin_return_address(0)); }

#define HERE arrive(ATOMIC, __builtin_return_address(0))
#define FETCH(N, T, name, value) \
  T __tsan_atomic##N##_fetch_##name(volatile T *p, T v, int order) { \
    HERE; \
    T old = *p; \
    *p = (T)(value); \
    return old; \
  }
#define COMPARE(N, T, strength) \
  int __tsan_atomic##N##_compare_exchange_##strength(volatile T *p, T *expected, T v, int order, int otherwise) { \
    HERE; \
    if (*p == *expected) { \
      *p = v; \
      return 1; \
    } \
    *expected = *p; \
    return 0; \
  }
#define ATOMICS(N, T) \
  T __tsan_atomic##N##_load(const volatile T *p, int order) { \
    HERE; \
    return *p; \
  } \
  void __tsan_atomic##N##_store(volatile T *p, T v, int order) { \
    HERE; \
    *p = v; \
  } \
  T __tsan_atomic##N##_exchange(volatile T *p, T v, int order) { \
    HERE; \
    T old = *p; \
    *p = v; \
    return old; \
  } \
  T __tsan_atomic##N##_compare_exchange_val(volatile T *p, T expected, T v, int order, int otherwise) { \
    HERE; \
    T old = *p; \
    if (old == expected) \
      *p = v; \
    return old; \
  } \
  FETCH(N, T, add, old + v) \
  FETCH(N, T, sub, old - v) \
  FETCH(N, T, and, old & v) \
  FETCH(N, T, or, old | v) \
  FETCH(N, T, xor, old ^ v) \
  FETCH(N, T, nand, ~(old & v)) \
  COMPARE(N, T, strong) \
  COMPARE(N, T, weak)

ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned int)
ATOMICS(64, unsigned long long)

void __tsan_atomic_thread_fence(int order) {}
void __tsan_atomic_signal_fence(int order) {}
