// Buggy: the copy of a text has no room for its end. With -D ROOM=1 it has.
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#ifndef ROOM
#define ROOM 0
#endif

static char *copy(const char *text, int length) {
  char *block = malloc(length + ROOM);
  if (!block)
    return NULL;
  for (int i = 0; i < length; i++)
    block[i] = text[i];
  block[length] = '\0';
  return block;
}

int main(void) {
  char text[8] = "message";
  char *block = copy(text, __VERIFIER_nondet_uchar() % 8);
  free(block);
  return 0;
}
