/* Threads of C11. BUG: they do not lock. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int counter;

static int work(void *argument) {
  int amount = *(int *)argument;
#ifndef BUG
  mtx_lock(&lock);
#endif
  counter += amount;
#ifndef BUG
  mtx_unlock(&lock);
#endif
  if (amount == 1)
    thrd_exit(-7);
  return amount;
}

int main(void) {
  thrd_t a, b;
  int one = 1, two = 2, result;
  assert(mtx_init(&lock, mtx_plain) == thrd_success);
  assert(thrd_create(&a, work, &one) == thrd_success);
  assert(thrd_create(&b, work, &two) == thrd_success);
  assert(!thrd_equal(a, b));
  thrd_join(a, &result);
  assert(result == -7);
  thrd_join(b, &result);
  assert(result == 2);
  assert(counter == 3);
  mtx_destroy(&lock);
  return 0;
}
