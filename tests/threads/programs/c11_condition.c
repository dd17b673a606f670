/* Condition variables, call_once and thread-specific storage of C11. BUG: signals before it sets the flag, without the lock. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int is_done;

static void initialise(void) {
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  tss_create(&key, 0);
}

static int work(void *unused) {
  int own = 5;
  call_once(&once, initialise);
  assert(tss_get(key) == 0);
  tss_set(key, &own);
  mtx_lock(&lock);
#ifdef BUG
  cnd_signal(&changed);
  mtx_unlock(&lock);
  is_done = *(int *)tss_get(key);
#else
  is_done = *(int *)tss_get(key);
  cnd_signal(&changed);
  mtx_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  thrd_t thread;
  call_once(&once, initialise);
  thrd_create(&thread, work, 0);
  mtx_lock(&lock);
  if (!is_done)
    cnd_wait(&changed, &lock);
#ifndef BUG
  while (!is_done)
    cnd_wait(&changed, &lock);
#endif
  assert(is_done == 5);
  mtx_unlock(&lock);
  thrd_join(thread, 0);
  return 0;
}
