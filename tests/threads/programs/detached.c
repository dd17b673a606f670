/* A detached thread tells by a semaphore that it is ready. BUG: main does not wait. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int value;

static void *work(void *unused) {
  value = 1;
  sem_post(&ready);
  return 0;
}

int main(void) {
  pthread_t thread, other;
  pthread_attr_t attributes;
  sem_init(&ready, 0, 0);
  pthread_attr_init(&attributes);
  assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  pthread_create(&thread, &attributes, work, 0);
  pthread_attr_destroy(&attributes);
#ifndef BUG
  sem_wait(&ready);
#endif
  assert(value == 1);
  pthread_create(&other, 0, work, 0);
  pthread_detach(other);
  return 0;
}
