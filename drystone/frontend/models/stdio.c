/* <stdio.h> without the primitives: output to files, and the scanf family.
 *
 * Over-approximated: there is no file system. Input is any bytes or the end of the file, in any order; output is
 * discarded and may fail; opening gives NULL or fresh memory, which fclose frees. What sprintf and its kin
 * write is any string. */
typedef __SIZE_TYPE__ size_t;
typedef struct _IO_FILE {
  char contents[sizeof(void *) == 8 ? 216 : 148]; /* glibc's size */
} FILE;
void *malloc(size_t);
void free(void *);
int __VERIFIER_nondet_int(void);
int __VERIFIER_nondet_approximate_int(void);
char __VERIFIER_nondet_approximate_char(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);

/* A nonnegative number on success, EOF on failure. */
static int __drystone_success(void) {
  int result = __VERIFIER_nondet_int();
  __VERIFIER_assume(result >= -1);
  return result;
}

/* The character written on success, EOF on failure. */
static int __drystone_written(int c) { return __VERIFIER_nondet_int() != 0 ? (unsigned char)c : -1; }

static int __drystone_zero_or_eof(void) { return __VERIFIER_nondet_int() != 0 ? 0 : -1; }

static int __drystone_any_character(void) {
  int c = __VERIFIER_nondet_int();
  __VERIFIER_assume(-1 <= c && c <= 255);
  return c;
}


int getchar(void) { return __drystone_any_character(); }
int getc(FILE *file) { return __drystone_any_character(); }
int fgetc(FILE *file) { return __drystone_any_character(); }
int _IO_getc(FILE *file) { return __drystone_any_character(); }

/* The next character read need not be c: any input includes it. */
int ungetc(int c, FILE *file) { return c == -1 ? -1 : __drystone_written(c); }

/* At least one byte was read, unless the buffer has room for the terminator only; a newline ends the line. */
char *fgets(char *line, int size, FILE *file) {
  if (size <= 0 || __VERIFIER_nondet_int() == 0)
    return 0;
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= n && n < size && (n > 0 || size == 1));
  for (int i = 0; i < n; i++) {
    line[i] = __VERIFIER_nondet_char();
    __VERIFIER_assume(line[i] != '\n' || i == n - 1);
  }
  line[n] = 0;
  return line;
}

/* Any string of at most `size - 1` characters, which a longer text of the returned length was cut to. */
static int __drystone_print(char *to, size_t size) {
  int length = __VERIFIER_nondet_approximate_int();
  __VERIFIER_assume(0 <= length);
  if (size == 0)
    return length;
  size_t n = (size_t)length < size ? (size_t)length : size - 1;
  for (size_t i = 0; i < n; i++) {
    to[i] = __VERIFIER_nondet_approximate_char();
    __VERIFIER_assume(to[i] != 0);
  }
  to[n] = 0;
  return length;
}

/* %c may print a null character: then the string in the buffer ends early, which a shorter text covers. */
int snprintf(char *to, size_t size, const char *format, ...) { return __drystone_print(to, size); }
int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list list) { return __drystone_print(to, size); }
int sprintf(char *to, const char *format, ...) { return __drystone_print(to, (size_t)1 << 31); }
int vsprintf(char *to, const char *format, __builtin_va_list list) { return __drystone_print(to, (size_t)1 << 31); }

char *gets(char *line) {
  if (__VERIFIER_nondet_int() == 0)
    return 0;
  __drystone_print(line, (size_t)1 << 31);
  return line;
}

/* <unistd.h> */
long read(int file, void *to, size_t size) {
  long n = __VERIFIER_nondet_long();
  __VERIFIER_assume(-1 <= n && (n < 0 || (size_t)n <= size));
  for (long i = 0; i < n; i++)
    ((unsigned char *)to)[i] = __VERIFIER_nondet_uchar();
  return n;
}

size_t fread(void *to, size_t size, size_t count, FILE *file) {
  size_t items = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(items <= count && (size != 0 || items == 0));
  /* Of an item that was read in part, the bytes are indeterminate: all of the buffer takes any value. */
  for (size_t i = 0; i < size * count; i++)
    ((unsigned char *)to)[i] = __VERIFIER_nondet_uchar();
  return items;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  size_t items = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(items <= count && (size != 0 || items == 0));
  return items;
}

FILE *fopen(const char *name, const char *mode) { return __VERIFIER_nondet_int() != 0 ? malloc(sizeof(FILE)) : 0; }
FILE *fdopen(int descriptor, const char *mode) { return __VERIFIER_nondet_int() != 0 ? malloc(sizeof(FILE)) : 0; }
FILE *popen(const char *command, const char *mode) { return __VERIFIER_nondet_int() != 0 ? malloc(sizeof(FILE)) : 0; }
FILE *tmpfile(void) { return __VERIFIER_nondet_int() != 0 ? malloc(sizeof(FILE)) : 0; }

/* The standard streams are objects outside the program: they are not freed. */
extern FILE *stdin, *stdout, *stderr;

int fclose(FILE *file) {
  if (file != stdin && file != stdout && file != stderr)
    free(file);
  return __drystone_zero_or_eof();
}

int pclose(FILE *file) {
  free(file);
  return __VERIFIER_nondet_int();
}

int feof(FILE *file) { return __VERIFIER_nondet_int(); }
int ferror(FILE *file) { return __VERIFIER_nondet_int(); }
int fileno(FILE *file) { return __drystone_success(); }
void clearerr(FILE *file) {}
void rewind(FILE *file) {}
int fseek(FILE *file, long offset, int whence) { return __drystone_zero_or_eof(); }

long ftell(FILE *file) {
  long position = __VERIFIER_nondet_long();
  __VERIFIER_assume(position >= -1);
  return position;
}

void setbuf(FILE *file, char *buffer) {}
int setvbuf(FILE *file, char *buffer, int mode, size_t size) { return __VERIFIER_nondet_int(); }
int remove(const char *name) { return __drystone_zero_or_eof(); }
int rename(const char *from, const char *to) { return __drystone_zero_or_eof(); }
