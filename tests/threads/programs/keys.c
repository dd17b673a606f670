/* Thread-specific values. BUG: one variable instead. */
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static void *value;
#ifdef BUG
#define SET(v) (value = (v))
#define GET() value
#else
#define SET(v) pthread_setspecific(key, (v))
#define GET() pthread_getspecific(key)
#endif

static void *work(void *argument) {
  SET(argument);
  assert(GET() == argument);
  return 0;
}

int main(void) {
  pthread_t a, b;
  int x, y;
  assert(pthread_key_create(&key, 0) == 0);
  pthread_create(&a, 0, work, &x);
  pthread_create(&b, 0, work, &y);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(GET() == 0);
  return 0;
}
