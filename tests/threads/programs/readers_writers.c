/* A pair that a writer keeps equal under a rwlock. BUG: the writer takes it for reading only. */
#include <assert.h>
#include <pthread.h>

static struct {
  int left, right;
} pair;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write(void *unused) {
#ifdef BUG
  pthread_rwlock_rdlock(&lock);
#else
  pthread_rwlock_wrlock(&lock);
#endif
  pair.left++;
  pair.right++;
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void *read(void *unused) {
  pthread_rwlock_rdlock(&lock);
  assert(pair.left == pair.right);
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t writer, reader, other;
  pthread_create(&writer, 0, write, 0);
  pthread_create(&reader, 0, read, 0);
  pthread_create(&other, 0, read, 0);
  pthread_join(writer, 0);
  pthread_join(reader, 0);
  pthread_join(other, 0);
  return 0;
}
