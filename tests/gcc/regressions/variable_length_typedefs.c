// typedefs of variable length arrays: their size is computed once, where they are declared
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
void mix(long long x) { checksum = checksum * 31 + x; }
int once(int i, int j) { typedef int c[i + 2]; i = 100; mix(sizeof(c)); if (j == 2) return sizeof(c); else return sizeof(c) * 3; }
int nested(int k) { typedef short row[k]; typedef row table[3]; k = 1; row r; table t; for (int i = 0; i < 3; i++) for (unsigned long j = 0; j < sizeof(row) / sizeof(short); j++) t[i][j] = i * 10 + j;
  r[0] = t[2][1]; mix(sizeof r); mix(sizeof t); mix(sizeof(table)); mix(sizeof t[0]); mix((char *)&t[2] - (char *)&t[0]); return r[0] + t[1][0]; }
int wider(int k, int n) { typedef char row[k]; row both[n]; both[n - 1][k - 1] = 7; k = n = 1; mix(sizeof both); mix(sizeof *both); return both[sizeof both / sizeof *both - 1][sizeof(row) - 1]; }
int again(int n) { int sum = 0; for (int i = 1; i < n; i++) { typedef int a[i]; a x; x[i - 1] = i; sum += sizeof(a) + sizeof x + x[i - 1]; } return sum; }
int shadowed(int n) { typedef char t[n]; { typedef long long t[n + 1]; mix(sizeof(t)); } { typedef int t[4]; mix(sizeof(t)); } return sizeof(t); }
int main(void) { mix(once(20, 3)); mix(once(5, 2)); mix(nested(4)); mix(wider(3, 5)); mix(again(6)); mix(shadowed(9)); report(); return 0; }
