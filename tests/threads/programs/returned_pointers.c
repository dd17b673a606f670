/* Threads return memory that the main thread reads. BUG: the address of a local that is passed as a result is one of both. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *square(void *argument) {
  int *result = malloc(sizeof *result);
  if (result == 0)
    return 0;
  *result = *(int *)argument * *(int *)argument;
  return result;
}

int main(void) {
  pthread_t a, b;
  int three = 3, four = 4;
  void *first, *second;
  pthread_create(&a, 0, square, &three);
#ifdef BUG
  three = 5;
#endif
  pthread_create(&b, 0, square, &four);
  pthread_join(a, &first);
  pthread_join(b, &second);
  if (first && second) {
    assert(first != second);
    assert(*(int *)first == 9 && *(int *)second == 16);
  }
  free(first);
  free(second);
  return 0;
}
