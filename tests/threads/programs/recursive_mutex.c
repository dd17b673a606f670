/* A function with a lock calls another one with the same lock. BUG: the lock is left once too early. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int balance = 10, sum = 10;

static void add(int amount) {
  pthread_mutex_lock(&lock);
  balance += amount;
  pthread_mutex_unlock(&lock);
}

static void *transfer(void *unused) {
  pthread_mutex_lock(&lock);
  add(5);
#ifdef BUG
  pthread_mutex_unlock(&lock);
#endif
  sum += 5;
#ifndef BUG
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, transfer, 0);
  pthread_mutex_lock(&lock);
  assert(balance == sum);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
