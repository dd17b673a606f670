/* The models of stdio.c: what a real file gives is among what the model allows, and the results are in range. */
#define _GNU_SOURCE
#include "support.h"

#include <string.h>
#include <unistd.h>

MODEL(getchar); MODEL(fgetc); MODEL(fgets); MODEL(fread); MODEL(snprintf); MODEL(read);
MODEL(rewind); MODEL(getline); MODEL(fgetpos); MODEL(setvbuf); MODEL(getc);
MODEL(fopen); MODEL(fclose); MODEL(feof); MODEL(ferror); MODEL(ungetc); MODEL(ftell);

static void check_fgets(void) {
  char got[8];
  script(5, (uint64_t)1, (uint64_t)3, (uint64_t)'h', (uint64_t)'i', (uint64_t)'\n');
  CHECK(RUNS(model_fgets(got, 8, stdin)) && strcmp(got, "hi\n") == 0, "fgets of a line");
  script(3, (uint64_t)1, (uint64_t)1, (uint64_t)'h');
  CHECK(RUNS(model_fgets(got, 2, stdin)) && strcmp(got, "h") == 0, "fgets of a full buffer");
  script(1, (uint64_t)0);
  CHECK(RUNS(model_fgets(got, 1, stdin)) && got[0] == 0, "fgets into one byte");
  script(2, (uint64_t)1, (uint64_t)0);
  CHECK(!RUNS(model_fgets(got, 8, stdin)), "fgets does not read an empty line");
  script(5, (uint64_t)1, (uint64_t)3, (uint64_t)'h', (uint64_t)'\n', (uint64_t)'i');
  CHECK(!RUNS(model_fgets(got, 8, stdin)), "fgets stops at a newline");
  script(2, (uint64_t)1, (uint64_t)8);
  CHECK(!RUNS(model_fgets(got, 8, stdin)), "fgets leaves room for the terminator");
  script(1, (uint64_t)0);
  CHECK(model_fgets(got, 8, stdin) == NULL, "fgets at the end of the file");
}

static void check_blocks(void) {
  char got[8] = "", untouched = 'u';
  size_t n = 0;
  model_rewind(stdin);
  script(5, (uint64_t)2, (uint64_t)'a', (uint64_t)'b', (uint64_t)'c', (uint64_t)'d');
  CHECK(RUNS(n = model_fread(got, 2, 2, stdin)) && n == 2 && memcmp(got, "abcd", 4) == 0 && got[4] == 0, "fread");
  script(1, (uint64_t)3);
  CHECK(!RUNS(model_fread(got, 2, 2, stdin)), "fread of too much");
  CHECK(untouched == 'u', "stack");
}

static void check_prints(void) {
  char got[4];
  int n = -1;
  script(3, (uint64_t)2, (uint64_t)'a', (uint64_t)'b');
  CHECK(RUNS(n = model_snprintf(got, 4, "%s", "ab")) && n == 2 && strcmp(got, "ab") == 0, "snprintf");
  script(4, (uint64_t)9, (uint64_t)'a', (uint64_t)'b', (uint64_t)'c');
  CHECK(RUNS(n = model_snprintf(got, 4, "%s", "abcdefghi")) && n == 9 && strcmp(got, "abc") == 0, "snprintf cuts");
  script(3, (uint64_t)2, (uint64_t)0, (uint64_t)'a');
  CHECK(RUNS(n = model_snprintf(got, 4, "%ca", 0)) && n == 2 && memcmp(got, "\0a", 3) == 0, "snprintf of a null character");
  script(2, (uint64_t)1, (uint64_t)'z');
  CHECK(RUNS(n = (int)model_read(0, got, 4)) && n == 1 && got[0] == 'z', "read");
  script(1, (uint64_t)5);
  CHECK(!RUNS(model_read(0, got, 4)), "read of too much");
}

static void check_end(void) {
  script(1, (uint64_t)-1);
  CHECK(model_feof(stdin) == 0 && model_getchar() == -1 && model_feof(stdin) != 0, "the end of the standard input");
  script(1, (uint64_t)'a');
  CHECK(model_getchar() == -1, "the end stays");
  char line[4];
  CHECK(model_fgets(line, 4, stdin) == NULL && model_fread(line, 1, 4, stdin) == 0, "for all readers");
  model_rewind(stdin);
  CHECK(model_feof(stdin) == 0, "rewind");
}

static void check_pushed(void) {
  rereads = 1;
  for (int c = 0; c <= 255; c++) {
    CHECK(model_ungetc(c, stdin) == c && model_getc(stdin) == c, "what was pushed back is read");
    script(1, (uint64_t)77);
    CHECK(model_getc(stdin) == 77, "once");
  }
  rereads = 0;
}

static void check_lines(void) {
  char *line = NULL;
  size_t size = 0;
  script(6, (uint64_t)1, (uint64_t)3, (uint64_t)16, (uint64_t)'a', (uint64_t)'b', (uint64_t)'\n');
  CHECK(RUNS(model_getline(&line, &size, stdin)) && strcmp(line, "ab\n") == 0 && size == 16, "getline");
  script(4, (uint64_t)1, (uint64_t)2, (uint64_t)'c', (uint64_t)'\n');
  CHECK(RUNS(model_getline(&line, &size, stdin)) && strcmp(line, "c\n") == 0 && size == 16, "getline uses the buffer again");
  script(4, (uint64_t)1, (uint64_t)2, (uint64_t)'\n', (uint64_t)'c');
  CHECK(!RUNS(model_getline(&line, &size, stdin)), "getline stops at a newline");
  script(1, (uint64_t)0);
  CHECK(model_getline(&line, &size, stdin) == -1, "getline at the end");
  model_rewind(stdin);
  CHECK(!RUNS(model_setvbuf(stdin, line, _IOFBF, 16)), "a buffer of the program is not modelled");
  CHECK(RUNS(model_setvbuf(stdin, NULL, _IOFBF, 16)), "setvbuf");
}

int main(void) {
  check_prints();
  check_end();
  check_pushed();
  check_lines();
  for (int c = -1; c <= 255; c++) {
    int got = -2;
    script(1, (uint64_t)(int64_t)c);
    CHECK(RUNS(got = model_getchar()) && got == c, "getchar");
    script(1, (uint64_t)(int64_t)c);
    CHECK(RUNS(got = model_fgetc(stdin)) && got == c, "fgetc");
    CHECK(model_ungetc(-1, stdin) == -1, "ungetc of EOF");
    model_rewind(stdin);
  }
  script(1, (uint64_t)256);
  CHECK(!RUNS(model_getchar()), "getchar above 255");
  script(1, (uint64_t)-2);
  CHECK(!RUNS(model_getchar()), "getchar below EOF");
  check_fgets();
  check_blocks();
  script(1, (uint64_t)0);
  CHECK(model_fopen("f", "r") == NULL, "fopen fails");
  script(1, (uint64_t)1);
  FILE *file = model_fopen("f", "r");
  CHECK(file != NULL, "fopen");
  memset(file, 0, sizeof *file);
  model_fclose(file);
  script(1, (uint64_t)-2);
  CHECK(!RUNS(model_ftell(stdout)), "ftell below -1");
  return 0;
}
