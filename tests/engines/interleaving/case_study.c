#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int x, y;
void *first(void *p) { x = 1; y = 1; if (y != 1) reach_error(); return 0; }
void *second(void *p) { __VERIFIER_atomic_begin(); y = x; __VERIFIER_atomic_end(); x = 0; return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(u, 0);
  pthread_join(t, 0);
}
