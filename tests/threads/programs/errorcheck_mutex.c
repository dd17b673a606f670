/* A mutex that checks for errors: who unlocks it without having it is told so. BUG: expects that it is unlocked. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *work(void *unused) {
  int result = pthread_mutex_unlock(&lock);
#ifdef BUG
  assert(result == 0);
#else
  assert(result == EPERM);
#endif
  return 0;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
  pthread_mutex_init(&lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  pthread_mutex_lock(&lock);
  assert(pthread_mutex_lock(&lock) == EDEADLK);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  assert(pthread_mutex_unlock(&lock) == 0);
  assert(pthread_mutex_destroy(&lock) == 0);
  return 0;
}
