/* <stdio.h> without the primitives: input, files, and what sprintf writes.
 *
 * Over-approximated: there is no file system. The standard input is any bytes, then its end, which stays
 * (reading does not fail). What is read from a file is any bytes as long as the program cannot have
 * determined them: afterwards (`rough`), and where only the library knows, values are `approximate`. Opening gives
 * NULL or fresh memory, which fclose frees. What sprintf and its kin write is any text; the interpreter is told what to
 * print, and so knows. errno may be set by all that can fail. */
#include "effects.h"

typedef __SIZE_TYPE__ size_t;
typedef struct _IO_FILE FILE;
typedef struct {
  long position;
  int state[2];
} fpos_t;
#define FILE_SIZE (sizeof(void *) == 8 ? 216 : 148) /* glibc's */
#define UNBOUNDED ((size_t)1 << 31)

void *malloc(size_t);
void *realloc(void *, size_t);
void free(void *);
int __VERIFIER_nondet_int(void);
int __VERIFIER_nondet_approximate_int(void);
long __VERIFIER_nondet_approximate_long(void);
unsigned long __VERIFIER_nondet_approximate_ulong(void);
char __VERIFIER_nondet_approximate_char(void);
int __VERIFIER_nondet_approximate_printed_length(void);
char __VERIFIER_nondet_approximate_printed_character(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);

/* Primitives: the interpreter is told what a list of arguments looks like; does the program call a function that may determine
 * what is read from the standard input, or from other files; one that may close the standard input; one that makes pipes. Is there
 * a format that may fail: for characters that have no bytes, or texts of too many characters? */
void __drystone_text(const char *format, __builtin_va_list list);
int __drystone_rereads(void);
int __drystone_writes_files(void);
int __drystone_closes(void);
int __drystone_has_pipes(void);
int __drystone_may_fail_to_print(void);
/* How many characters does the call print at most that is under way? */
int __drystone_most_printed(void);

/* The standard streams are objects outside the program: they are not freed. */
extern FILE *stdin, *stdout, *stderr;

static int ended;      /* the standard input */
static int rough;      /* what is read next may be determined by what the program did before */
static FILE *pushed_to;
static int pushed, pushed_count; /* from 2 on, nobody knows what is pushed back, if anything */

static int __drystone_zero_or_eof(void) {
  SETS_ERRNO;
  return __VERIFIER_nondet_int() != 0 ? 0 : -1;
}

/* reading */

/* Reading from other files than the standard input may fail. */
static void __drystone_knows_scans(int never);

/* For somebody who writes to a pipe, or reads from it; a signal ends the program where nobody is left to read. */
static void __drystone_waits(void) {
  if (__drystone_has_pipes())
    MAY_NOT_RETURN;
}

static int __drystone_is_rough(FILE *file) {
  NEEDS(file);
  __drystone_waits();
  __drystone_knows_scans(0);
  if (file != stdin)
    SETS_ERRNO;
  return file == stdin ? __drystone_closes() || (__drystone_rereads() && rough) : __drystone_writes_files() || rough;
}

static char __drystone_any_character(int is_rough) {
  return is_rough ? __VERIFIER_nondet_approximate_char() : __VERIFIER_nondet_char();
}

static int __drystone_any_int(int is_rough) { return is_rough ? __VERIFIER_nondet_approximate_int() : __VERIFIER_nondet_int(); }

/* Nothing can be read any more. */
static void __drystone_end(FILE *file) {
  if (file == stdin)
    ended = 1;
  else
    rough = 1;
}

/* Other readers than getc do not look at what was pushed back, and may read it or leave it. */
static void __drystone_forget_pushed(void) {
  if (__drystone_rereads() && pushed_count != 0)
    rough = 1, ended = 0, pushed_count = 2;
}

/* scanf is lowered by the front end, which asks whether there is anything to read, and says what came of it: the input has ended
 * where scanf found nothing, and may have ended behind what it converted. The functions that look at the end of the input mention
 * these two, so that a program that has one of them has these, too. */
int __drystone_can_scan(FILE *file, int is_standard) {
  if (!is_standard && file != stdin)
    return 1;
  __drystone_forget_pushed();
  return !ended;
}

void __drystone_scanned(FILE *file, int is_standard, int result) {
  if (!is_standard && file != stdin)
    return;
  if (result < 0 || __VERIFIER_nondet_approximate_int() != 0)
    ended = 1;
}

static void __drystone_knows_scans(int never) {
  if (never)
    __drystone_can_scan(stdin, 1), __drystone_scanned(stdin, 1, 0);
}

static int __drystone_next(FILE *file) {
  NEEDS(file);
  if (__drystone_rereads() && pushed_count == 1 && pushed_to == file) {
    pushed_count = 0;
    return pushed;
  }
  if (file == stdin && ended)
    return -1;
  int c = __drystone_any_int(__drystone_is_rough(file));
  __VERIFIER_assume(-1 <= c && c <= 255);
  if (c == -1)
    __drystone_end(file);
  return c;
}

int getchar(void) {
  __drystone_knows_scans(0);
  __drystone_waits();
  if (__drystone_rereads())
    return __drystone_next(stdin);
  if (ended)
    return -1;
  int c = __drystone_any_int(__drystone_closes());
  __VERIFIER_assume(-1 <= c && c <= 255);
  if (c == -1)
    ended = 1;
  return c;
}

int getc(FILE *file) { return __drystone_next(file); }
int fgetc(FILE *file) { return __drystone_next(file); }
int _IO_getc(FILE *file) { return __drystone_next(file); }
int getchar_unlocked(void) { return getchar(); }
int getc_unlocked(FILE *file) { return __drystone_next(file); }
int fgetc_unlocked(FILE *file) { return __drystone_next(file); }

/* One character can be pushed back; of more, nothing is known. */
int ungetc(int c, FILE *file) {
  NEEDS(file);
  if (c == -1)
    return -1;
  if (pushed_count != 0 && __VERIFIER_nondet_approximate_int() == 0)
    return -1;
  if (pushed_count != 0 || ended)
    rough = 1;
  ended = 0;
  pushed_count++;
  pushed_to = file;
  pushed = (unsigned char)c;
  return pushed;
}

/* At least one byte was read, unless the buffer has room for the terminator only; a newline ends the line. */
char *fgets(char *line, int size, FILE *file) {
  __drystone_forget_pushed();
  int is_rough = __drystone_is_rough(file);
  if (size <= 0 || (file == stdin && ended && size > 1))
    return 0;
  if (size > 1 && __drystone_any_int(is_rough) == 0) {
    __drystone_end(file);
    return 0;
  }
  int n = __drystone_any_int(is_rough);
  __VERIFIER_assume(0 <= n && n < size && (n > 0 || size == 1));
  WRITES_ALL(line, n + 1);
  for (int i = 0; i < n; i++) {
    line[i] = __drystone_any_character(is_rough);
    __VERIFIER_assume(line[i] != '\n' || i == n - 1);
  }
  if (n < size - 1 && line[n - 1] != '\n')
    __drystone_end(file);
  line[n] = 0;
  return line;
}

/* A line without its newline, so perhaps of no characters; at the end of the input there is at least one. */
char *gets(char *line) {
  __drystone_forget_pushed();
  int is_rough = __drystone_is_rough(stdin);
  if (ended || __drystone_any_int(is_rough) == 0) {
    __drystone_end(stdin);
    return 0;
  }
  int n = __drystone_any_int(is_rough), is_last = __drystone_any_int(is_rough) != 0;
  __VERIFIER_assume(0 <= n && n < 2147483647 && (n > 0 || !is_last));
  WRITES_ALL(line, n + 1);
  for (int i = 0; i < n; i++) {
    line[i] = __drystone_any_character(is_rough);
    __VERIFIER_assume(line[i] != '\n');
  }
  if (is_last)
    __drystone_end(stdin);
  line[n] = 0;
  return line;
}

/* Room for more than n characters; how much, glibc decides. */
static void __drystone_allocate_line(char **line, size_t *size, long n) {
  size_t room = __VERIFIER_nondet_approximate_ulong();
  __VERIFIER_assume((size_t)n < room && room < UNBOUNDED);
  *line = realloc(*line, room);
  *size = room;
}

long getdelim(char **line, size_t *size, int delimiter, FILE *file) {
  __drystone_forget_pushed();
  int is_rough = __drystone_is_rough(file);
  int is_missing = *line == 0 || *size == 0;
  if ((file == stdin && ended) || __drystone_any_int(is_rough) == 0) {
    if (is_missing) { /* the line is allocated before anything is read */
      *line = 0;
      __drystone_allocate_line(line, size, 0);
    }
    __drystone_end(file);
    return -1;
  }
  long n = is_rough ? __VERIFIER_nondet_approximate_long() : __VERIFIER_nondet_long();
  __VERIFIER_assume(0 < n && n < 2147483647);
  if (is_missing || *size <= (size_t)n) {
    if (is_missing)
      *line = 0;
    __drystone_allocate_line(line, size, n);
  }
  for (long i = 0; i < n; i++) {
    (*line)[i] = __drystone_any_character(is_rough);
    __VERIFIER_assume((*line)[i] != (char)delimiter || i == n - 1);
  }
  if ((*line)[n - 1] != (char)delimiter)
    __drystone_end(file);
  (*line)[n] = 0;
  return n;
}

long getline(char **line, size_t *size, FILE *file) { return getdelim(line, size, '\n', file); }

size_t fread(void *to, size_t size, size_t count, FILE *file) {
  __drystone_forget_pushed();
  int is_rough = __drystone_is_rough(file);
  if (size == 0 || count == 0 || (file == stdin && ended))
    return 0;
  size_t items = is_rough ? __VERIFIER_nondet_approximate_ulong() : __VERIFIER_nondet_ulong();
  __VERIFIER_assume(items <= count);
  /* Of an item that was read in part, some bytes may be there. */
  size_t part = items < count ? __VERIFIER_nondet_approximate_ulong() : 0;
  __VERIFIER_assume(part < size);
  WRITES_ALL(to, size * items + part);
  for (size_t i = 0; i < size * items + part; i++)
    ((char *)to)[i] = __drystone_any_character(is_rough);
  if (items < count)
    __drystone_end(file);
  return items;
}

/* printing to memory */

/* Where it fails, some of the text may be there. */
static int __drystone_fail_to_print(char *to, size_t size) {
  SETS_ERRNO;
  size_t n = __VERIFIER_nondet_approximate_ulong();
  __VERIFIER_assume(n <= size);
  for (size_t i = 0; i < n; i++)
    to[i] = __VERIFIER_nondet_approximate_char();
  return -1;
}

/* Any text of at most `size - 1` characters, which a longer one of the returned length was cut to. */
static int __drystone_print(char *to, size_t size) {
  int length = __VERIFIER_nondet_approximate_printed_length();
  if (__drystone_may_fail_to_print() && length == -1)
    return __drystone_fail_to_print(to, size);
  __VERIFIER_assume(0 <= length && length <= __drystone_most_printed());
  if (size == 0)
    return length;
  size_t n = (size_t)length < size ? (size_t)length : size - 1;
  WRITES_ALL(to, n + 1);
  for (size_t i = 0; i < n; i++)
    to[i] = __VERIFIER_nondet_approximate_printed_character(); /* %c may print a null character */
  to[n] = 0;
  return length;
}

int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list list) {
  __drystone_text(format, list);
  return __drystone_print(to, size);
}

int vsprintf(char *to, const char *format, __builtin_va_list list) {
  __drystone_text(format, list);
  return __drystone_print(to, UNBOUNDED);
}

int snprintf(char *to, size_t size, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  __drystone_text(format, list);
  __builtin_va_end(list);
  return __drystone_print(to, size);
}

int sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  __drystone_text(format, list);
  __builtin_va_end(list);
  return __drystone_print(to, UNBOUNDED);
}

/* files */

static FILE *__drystone_open(void) {
  SETS_ERRNO;
  return __VERIFIER_nondet_int() != 0 ? malloc(FILE_SIZE) : 0;
}

static FILE *__drystone_open_for(const char *mode) {
  if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') {
    SETS_ERRNO;
    return 0;
  }
  if (mode[0] != 'r' || mode[1] == '+' || (mode[1] != 0 && mode[2] == '+'))
    rough = 1; /* what is written may be read again, through this stream or another */
  return __drystone_open();
}

FILE *fopen(const char *name, const char *mode) {
  FILE *file = __drystone_open_for(mode);
  if (name[0] == 0)
    __VERIFIER_assume(file == 0);
  if (name[0] == '/') { /* it may be one of the system's: what is in it, or that it cannot be opened, is known there */
    rough = 1;
    MAY_NOT_RETURN;
  }
  return file;
}

FILE *fdopen(int descriptor, const char *mode) {
  FILE *file = __drystone_open_for(mode);
  if (descriptor < 0)
    __VERIFIER_assume(file == 0);
  return file;
}

FILE *popen(const char *command, const char *mode) {
  if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'e') {
    SETS_ERRNO;
    return 0;
  }
  MAY_NOT_RETURN; /* the command may end the program */
  rough = 1;
  return __drystone_open();
}

FILE *tmpfile(void) {
  rough = 1;
  return __drystone_open();
}

int fclose(FILE *file) {
  NEEDS(file);
  __drystone_waits();
  __drystone_knows_scans(0);
  if (file == stdin)
    ended = 1, rough = 1; /* glibc reads nothing more from it; others may have the descriptor */
  if (file != stdin && file != stdout && file != stderr)
    free(file);
  return __drystone_zero_or_eof();
}

int pclose(FILE *file) {
  NEEDS(file);
  MAY_NOT_RETURN;
  SETS_ERRNO;
  free(file);
  return __VERIFIER_nondet_approximate_int();
}

int feof(FILE *file) {
  NEEDS(file);
  __drystone_knows_scans(0);
  return file == stdin ? ended : __VERIFIER_nondet_approximate_int();
}

int ferror(FILE *file) {
  NEEDS(file);
  return __VERIFIER_nondet_approximate_int();
}

int fileno(FILE *file) {
  NEEDS(file);
  SETS_ERRNO;
  int descriptor = __VERIFIER_nondet_approximate_int();
  __VERIFIER_assume(descriptor >= -1);
  return descriptor;
}

/* Reading starts again. */
static void __drystone_move(FILE *file) {
  NEEDS(file);
  SETS_ERRNO;
  rough = 1;
  if (file == stdin)
    ended = 0;
}

/* At another place, if the file has places: then what was pushed back is gone. */
static int __drystone_seek(FILE *file) {
  __drystone_waits();
  int was_ended = ended;
  __drystone_forget_pushed();
  __drystone_move(file);
  if (__VERIFIER_nondet_approximate_int() != 0)
    return 0;
  ended = was_ended;
  return -1;
}

void clearerr(FILE *file) { __drystone_move(file); }

void rewind(FILE *file) {
  __drystone_seek(file);
  __drystone_move(file);
}

int fseek(FILE *file, long offset, int whence) { return __drystone_seek(file); }

int fseeko(FILE *file, long offset, int whence) { return fseek(file, offset, whence); }

long ftell(FILE *file) {
  NEEDS(file);
  SETS_ERRNO;
  long position = __VERIFIER_nondet_approximate_long();
  __VERIFIER_assume(position >= -1);
  return position;
}

long ftello(FILE *file) { return ftell(file); }

int fgetpos(FILE *file, fpos_t *position) {
  NEEDS(file);
  SETS_ERRNO;
  for (size_t i = 0; i < sizeof *position; i++)
    ((char *)position)[i] = __VERIFIER_nondet_approximate_char();
  return __VERIFIER_nondet_approximate_int() != 0 ? 0 : -1;
}

int fsetpos(FILE *file, const fpos_t *position) { return __drystone_seek(file); }

/* The library would write to a buffer of the program whenever it likes. */
int setvbuf(FILE *file, char *buffer, int mode, size_t size) {
  if (buffer != 0)
    REFUSE("a buffer for a stream");
  SETS_ERRNO;
  return __VERIFIER_nondet_approximate_int();
}

void setbuf(FILE *file, char *buffer) {
  if (buffer != 0)
    REFUSE("a buffer for a stream");
}

void setbuffer(FILE *file, char *buffer, size_t size) {
  if (buffer != 0)
    REFUSE("a buffer for a stream");
}

void setlinebuf(FILE *file) {}
void flockfile(FILE *file) {}
void funlockfile(FILE *file) {}

int getw(FILE *file) {
  int word;
  return fread(&word, sizeof word, 1, file) == 1 ? word : -1;
}

int putw(int word, FILE *file) {
  NEEDS(file);
  __drystone_waits();
  return __drystone_zero_or_eof();
}
static int __drystone_known_to_the_system(void) {
  SETS_ERRNO;
  return __VERIFIER_nondet_approximate_int() != 0 ? 0 : -1;
}

int remove(const char *name) { return __drystone_known_to_the_system(); }
int rename(const char *from, const char *to) { return __drystone_known_to_the_system(); }

/* <unistd.h> */
long read(int file, void *to, size_t size) {
  __drystone_waits();
  SETS_ERRNO;
  int is_rough = file != 0 || rough || __drystone_closes();
  long n = is_rough ? __VERIFIER_nondet_approximate_long() : __VERIFIER_nondet_long();
  __VERIFIER_assume(-1 <= n && (n < 0 || (size_t)n <= size));
  for (long i = 0; i < n; i++)
    ((char *)to)[i] = __drystone_any_character(is_rough);
  return n;
}
