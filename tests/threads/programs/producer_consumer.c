/* A bounded buffer with two condition variables. BUG: `if` instead of `while`, and two consumers. */
#include <assert.h>
#include <pthread.h>

static int buffer[2], count, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused) {
  for (int i = 1; i <= 2; i++) {
    pthread_mutex_lock(&lock);
    while (count == 2)
      pthread_cond_wait(&not_full, &lock);
    buffer[count++] = i;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void *consume(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef BUG
  if (count == 0)
#else
  while (count == 0)
#endif
    pthread_cond_wait(&not_empty, &lock);
  assert(count > 0);
  taken += buffer[--count];
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t producer, first, second;
  pthread_create(&producer, 0, produce, 0);
  pthread_create(&first, 0, consume, 0);
  pthread_create(&second, 0, consume, 0);
  pthread_join(producer, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  assert(taken == 3);
  return 0;
}
