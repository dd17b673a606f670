/* A structure for each thread, in an array. BUG: one structure for all. */
#include <assert.h>
#include <pthread.h>

struct job {
  int from, to, sum;
};

static void *run(void *argument) {
  struct job *job = argument;
  job->sum = 0;
  for (int i = job->from; i < job->to; i++)
    job->sum += i;
  return 0;
}

int main(void) {
  pthread_t threads[2];
#ifdef BUG
  struct job job;
#define JOB(i) job
#else
  struct job jobs[2];
#define JOB(i) jobs[i]
#endif
  for (int i = 0; i < 2; i++) {
    JOB(i).from = 2 * i;
    JOB(i).to = 2 * i + 2;
    pthread_create(&threads[i], 0, run, &JOB(i));
  }
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], 0);
    sum += JOB(i).sum;
  }
  assert(sum == 6);
  return 0;
}
