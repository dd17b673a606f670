/* A semaphore that cannot be had says why in errno, which each thread has for itself. BUG: expects another reason. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t tokens;

static void *work(void *unused) {
  errno = 0;
  if (sem_trywait(&tokens) == -1) {
#ifdef BUG
    assert(errno == EBUSY);
#else
    assert(errno == EAGAIN);
#endif
  } else {
    assert(errno == 0);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  int value;
  sem_init(&tokens, 0, 1);
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  sem_getvalue(&tokens, &value);
  assert(value == 0);
  return 0;
}
