/* A structure is read and written as a whole under a lock. BUG: it is read without. */
#include <assert.h>
#include <pthread.h>

struct point {
  int x, y;
  char tag;
};

static struct point shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct point moved(struct point p, int by) {
  p.x += by;
  p.y += by;
  return p;
}

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  shared = moved(shared, 1);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  struct point seen;
  pthread_create(&thread, 0, work, 0);
#ifdef BUG
  seen = shared;
#else
  pthread_mutex_lock(&lock);
  seen = shared;
  pthread_mutex_unlock(&lock);
#endif
  assert(seen.x == seen.y);
  pthread_join(thread, 0);
  assert(shared.x == 1);
  return 0;
}
