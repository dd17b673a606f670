/* Two semaphores let threads take turns. BUG: one of them begins with a token too many. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int ball;

static void *play(void *unused) {
  for (int i = 0; i < 2; i++) {
    sem_wait(&pong);
    assert(ball == 1);
    ball = 0;
    sem_post(&ping);
  }
  return 0;
}

int main(void) {
  pthread_t thread;
#ifdef BUG
  sem_init(&ping, 0, 2);
#else
  sem_init(&ping, 0, 1);
#endif
  sem_init(&pong, 0, 0);
  pthread_create(&thread, 0, play, 0);
  for (int i = 0; i < 2; i++) {
    sem_wait(&ping);
    ball = 1;
    sem_post(&pong);
  }
  pthread_join(thread, 0);
  sem_destroy(&ping);
  sem_destroy(&pong);
  return 0;
}
