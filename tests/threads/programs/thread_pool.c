/* Workers take tasks, structures with a function, from a queue. BUG: the queue is looked at without its lock. */
#include <assert.h>
#include <pthread.h>

struct task {
  void (*run)(int *);
  int *where;
};

static struct task queue[3];
static int first, last, is_closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int results[2];

static void increment(int *where) { *where += 1; }

static void submit(void (*run)(int *), int *where) {
  pthread_mutex_lock(&lock);
  queue[last].run = run;
  queue[last].where = where;
  last++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
  for (;;) {
    struct task task;
#ifdef BUG
    if (first == last)
      return 0;
    task = queue[first];
    first++;
#else
    pthread_mutex_lock(&lock);
    while (first == last && !is_closed)
      pthread_cond_wait(&changed, &lock);
    if (first == last) {
      pthread_mutex_unlock(&lock);
      return 0;
    }
    task = queue[first++];
    pthread_mutex_unlock(&lock);
#endif
    task.run(task.where);
  }
}

int main(void) {
  pthread_t a, b;
#ifdef BUG
  submit(increment, &results[0]);
  submit(increment, &results[1]);
#endif
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
#ifndef BUG
  submit(increment, &results[0]);
  submit(increment, &results[1]);
#endif
  pthread_mutex_lock(&lock);
  is_closed = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(results[0] == 1 && results[1] == 1);
  return 0;
}
