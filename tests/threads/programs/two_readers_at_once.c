/* Readers do not wait for each other, writers do. BUG: says that there is never more than one reader. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int readers, writers;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int others = atomic_fetch_add(&readers, 1);
  assert(writers == 0);
#ifdef BUG
  assert(others == 0);
#endif
  atomic_fetch_sub(&readers, 1);
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void *write(void *unused) {
  if (pthread_rwlock_trywrlock(&lock) == 0) {
    writers++;
    assert(readers == 0);
    writers--;
    pthread_rwlock_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, read, 0);
  pthread_create(&b, 0, read, 0);
  pthread_create(&c, 0, write, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
