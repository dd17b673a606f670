/* Runs a compiled program again and again, on inputs that it chooses itself; prints those of the runs that reach the error.

   Each run is a child process: a crash ends this run only, and every run starts from the same state. What a run chooses it writes
   into memory that it shares with its parent. The choices follow one style per run, as those of the interpreted runs do
   (engines/guesses.py), because many errors need all inputs to be alike. A run that reaches the error is repeated with smaller
   numbers, as long as they still lead there: the interpreter, which must follow, has less to do.

   The generated part of the harness (counterexamples/native/search_harness.py) has the functions of the program that have no body, and the
   constants of the program. There are no headers here: those for the other data model are often not installed. */

typedef unsigned long long u64;

extern const u64 drystone_integers[];
extern const double drystone_floats[];
extern const unsigned drystone_integer_count, drystone_float_count;
extern void drystone_entry(void);

extern void _exit(int) __attribute__((noreturn));
extern int fork(void);
extern int getppid(void);
extern void *mmap(void *, unsigned long, int, int, int, long);
extern int prctl(int, ...);
extern int setitimer(int, const void *, void *);
extern u64 strtoull(const char *, char **, int);
extern long time(long *);
extern int waitpid(int, int *, int);
extern long write(int, const void *, unsigned long);

enum { ERROR = 42, END = 40, ALARM = 14 }; /* exit codes of a run; the signal that ends a long one */
enum { RECORD = 8 << 20 };                 /* bytes: a run that chooses more ends */
enum { FIRST_LIMIT = 20000, LAST_LIMIT = 4000000, ROUND = 512 }; /* microseconds of a run, and after how many runs they grow */
enum { PARENT_DEATH_SIGNAL = 1, KILL = 9 };      /* a process that is paused would not notice by itself that nobody is left */
enum { MOST_FOUND = 8 };
enum { MOST_REPEATED = 400, MOST_SECONDS = 1 }; /* smaller numbers are tried in so many runs, or so long */
enum { ZERO, CONSTANTS, NEAR, SMALL, TINY, BIT, REPEATED, SITES, DIGITS, POWERS, MIXED, RANDOM, STYLES };
enum { KNOWN_SITES = 256 };

static struct { u64 used, asked; unsigned char bytes[RECORD]; } *shared;
static u64 state, favourite, few[3];
static unsigned style;
static int zero_memory;
static struct { u64 used, at; int given; unsigned char bytes[RECORD]; } script; /* what a repeated run chooses */

/* choosing */

static u64 draw(void) { /* splitmix64 */
  u64 z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

static u64 below(u64 bound) { return draw() % bound; }
static u64 constant(void) { return drystone_integers[below(drystone_integer_count)]; }
static u64 near(void) { return constant() + below(3) - 1; }

static u64 of_site(unsigned site) {
  static u64 values[KNOWN_SITES];
  static char known[KNOWN_SITES];
  site %= KNOWN_SITES;
  if (!known[site]) {
    known[site] = 1;
    values[site] = near();
  }
  return values[site];
}

static u64 integer(unsigned site, unsigned bits) {
  u64 value = 1;
  switch (style) {
  case ZERO: return 0;
  case CONSTANTS: return constant();
  case NEAR: return near();
  case SMALL: return below(11) - 2;
  case TINY: return below(6) + 1;
  case BIT: return below(2);
  case REPEATED: return below(5) ? favourite : few[below(3)];
  case SITES: return of_site(site);
  case DIGITS:
    for (u64 digits = below(7); digits; digits--) value *= 10;
    return value + below(3) - 1;
  case POWERS: return (below(2) ? 1 : -1) * (1ull << below(bits)) + below(3) - 1;
  case MIXED:
    switch (below(4)) {
    case 0: return near();
    case 1: return below(11) - 2;
    case 2: return below(2);
    }
  }
  return draw();
}

static double number(void) {
  static const double factors[] = {1, 1, 0.5, 1.001, -1}, offsets[] = {0, 0, 1e-3, -1};
  union { u64 bits; double value; } any;
  switch (style) {
  case ZERO: return 0;
  case CONSTANTS: case NEAR: case REPEATED: case SITES:
    return drystone_floats[below(drystone_float_count)] * factors[below(5)] + offsets[below(4)];
  case SMALL: case TINY: case BIT: return (double)below(11) - 2;
  case DIGITS: return (double)below(2000001) / 1000 - 1000;
  case POWERS:
    any.value = below(2) ? 1 : -1;
    for (u64 times = below(100); times; times--) any.value /= 2;
    return any.value;
  case MIXED: return (double)below(2000001) / 1000000 - 1;
  }
  any.bits = draw();
  return any.value;
}

/* what the generated part calls */

static int repeat(unsigned site, void *value, unsigned size) { /* a run that asks for something else than the first one ends */
  unsigned header[2];
  if (!script.given) return 0;
  if (script.at + sizeof header + size > script.used) _exit(END);
  for (unsigned at = 0; at < sizeof header; at++) ((unsigned char *)header)[at] = script.bytes[script.at++];
  if (header[0] != site || header[1] != size) _exit(END);
  for (unsigned at = 0; at < size; at++) ((unsigned char *)value)[at] = script.bytes[script.at++];
  return 1;
}

static void record(unsigned site, const void *value, unsigned size) {
  unsigned header[2] = {site, size};
  if (size > RECORD || shared->used + sizeof header + size > RECORD) _exit(END);
  for (unsigned at = 0; at < sizeof header; at++) shared->bytes[shared->used++] = ((unsigned char *)header)[at];
  for (unsigned at = 0; at < size; at++) shared->bytes[shared->used++] = ((const unsigned char *)value)[at];
}

u64 drystone_choose_integer(unsigned site, unsigned bits) {
  u64 value = 0;
  if (!repeat(site, &value, (bits + 7) / 8)) value = integer(site, bits) & (bits < 64 ? (1ull << bits) - 1 : -1);
  shared->asked = 1;
  record(site, &value, (bits + 7) / 8);
  return value;
}

double drystone_choose_double(unsigned site) {
  double value;
  if (!repeat(site, &value, sizeof value)) value = number();
  shared->asked = 1;
  record(site, &value, sizeof value);
  return value;
}

float drystone_choose_float(unsigned site) {
  float value;
  if (!repeat(site, &value, sizeof value)) value = number();
  shared->asked = 1;
  record(site, &value, sizeof value);
  return value;
}

void drystone_choose_memory(void *object, unsigned long size, unsigned site, int kind) { /* 0: any, 1: an integer, 2: a float */
  static const unsigned char words[] = {1, 4, 4, 8}; /* what an object is made of is not known */
  unsigned char *to = object;
  unsigned long word = kind ? size : words[below(4)];
  shared->asked = 1;
  if (zero_memory) {
    for (unsigned long at = 0; at < size; at++) to[at] = 0;
    return;
  }
  if (size % word) word = 1;
  for (unsigned long at = repeat(site, object, size) ? size : 0; at < size; at += word) {
    union { u64 bits; double wide; float narrow; unsigned char bytes[8]; } value = {0};
    if (kind != 2) value.bits = integer(site, 8 * word);
    else if (size == 8) value.wide = number();
    else value.narrow = number();
    for (unsigned long byte = 0; byte < word && at + byte < size; byte++) to[at + byte] = value.bytes[byte];
  }
  record(site, object, size);
}

/* running */

static void run(u64 seed, u64 count, long microseconds) {
  long timer[4] = {0, 0, microseconds / 1000000, microseconds % 1000000};
  prctl(PARENT_DEATH_SIGNAL, (unsigned long)KILL, 0ul, 0ul, 0ul);
  state = seed * 1000003 + count;
  draw();
  style = count < 2 ? ZERO : count % STYLES;
  favourite = near();
  for (int at = 0; at < 3; at++) few[at] = near();
  setitimer(0, timer, 0);
  drystone_entry();
  _exit(END);
}

static int put(int file, const void *bytes, u64 size) {
  while (size) {
    long done = write(file, bytes, size);
    if (done <= 0) return 0;
    bytes = (const char *)bytes + done;
    size -= done;
  }
  return 1;
}

static int one(u64 seed, u64 count, long limit) { /* the status of a run; -1 if there cannot be one */
  int status = 0, child;
  shared->used = shared->asked = 0;
  if ((child = fork()) == 0) run(seed, count, limit);
  return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

/* smaller numbers */

static void keep(void) { /* what the last run chose */
  script.used = shared->used;
  for (u64 at = 0; at < script.used; at++) script.bytes[at] = shared->bytes[at];
}

static u64 number_at(u64 place, unsigned size) {
  u64 value = 0;
  while (size--) value = value << 8 | script.bytes[place + size];
  return value;
}

static void put_number(u64 place, unsigned size, u64 value) {
  for (unsigned at = 0; at < size; at++) script.bytes[place + at] = value >> 8 * at;
}

static long repeated, began;

static int may_repeat(void) { return repeated < MOST_REPEATED && time(0) <= began + MOST_SECONDS; }

static int shrink_at(u64 place, unsigned size, int negative, u64 seed, u64 count, long limit) {
  u64 value = number_at(place, size), top = 8 * size - 1;
  u64 distance = negative ? (1ull << top) * 2 - value : value;
  int is_smaller = 0;
  if (negative && !(value >> top & 1)) return 0;
  for (u64 less = distance; less && may_repeat(); less -= (less + 2) / 3) { /* by thirds: many errors spare powers of two */
    if (less > distance) continue;
    repeated++;
    put_number(place, size, negative ? value + less : value - less);
    if (one(seed, count, limit) == ERROR << 8) {
      keep();
      is_smaller = 1;
      value = number_at(place, size);
      distance -= less;
    } else {
      put_number(place, size, value);
    }
  }
  return is_smaller;
}

static int shrink(u64 seed, u64 count, long limit) { /* the script, each of its numbers on its own; is it another one then? */
  int is_smaller = 0, is_new = 1;
  repeated = 0, began = time(0);
  script.given = 1;
  while (is_new && may_repeat()) {
    is_new = 0;
    for (u64 place = 8; place <= script.used && may_repeat();) {
      unsigned size = number_at(place - 4, 4);
      for (int negative = 0; negative < 2 && size <= 8; negative++) /* towards zero from above, then from below */
        is_new |= shrink_at(place, size, negative, seed, count, limit);
      place += size + 8;
    }
    is_smaller |= is_new;
  }
  script.given = 0;
  return is_smaller;
}

static int tell(int file) { return put(file, &script.used, sizeof script.used) && put(file, script.bytes, script.used); }

int main(int words, char **word) { /* the seed, the file that takes the records */
  u64 seed = strtoull(word[1], 0, 10), found = 0;
  int file = strtoull(word[2], 0, 10), zero_is_known = 0;
  int parent = getppid();
  prctl(PARENT_DEATH_SIGNAL, (unsigned long)KILL, 0ul, 0ul, 0ul);
  long limit = FIRST_LIMIT;
  shared = mmap(0, sizeof *shared, 3, 0x21, -1, 0); /* readable, writable; shared, anonymous */
  for (u64 count = 0; found < MOST_FOUND && getppid() == parent; count++) { /* nobody is left to be told otherwise */
    int status, was_asked;
    if (count % ROUND == ROUND - 1 && limit < LAST_LIMIT) limit *= 4, zero_is_known = 0;
    zero_memory = count / STYLES % 2 == 0 && !zero_is_known;
    if ((status = one(seed, count, limit)) == -1) return 1;
    was_asked = shared->asked;
    if (zero_memory && !shared->used) zero_is_known = 1; /* only memory could have been chosen: the next such run is the same */
    if (status == ERROR << 8) {
      found++;
      keep();
      if (!tell(file)) return 1;
      if (shrink(seed, count, limit) && !tell(file)) return 1;
    }
    if (!was_asked) { /* nothing could be chosen: every run is this one */
      if (status != ALARM || limit >= LAST_LIMIT) return 0;
      limit *= 4;
    }
  }
  return 0;
}
