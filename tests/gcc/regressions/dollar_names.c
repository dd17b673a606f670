// variables that are named like temporaries
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (printf("%llx\n", checksum))
#else
#define report() 0
#endif
int $result, $1, $2;
int f(int n) { int $3 = n; $1++; $2 += $1; $result += 2; return $3 <= 0 ? 0 : f($3 - 1) + f($3 - 2) + $2; }
int main(void) { int $1 = f(3); checksum = checksum * 31 + $1; checksum = checksum * 31 + $2; checksum = checksum * 31 + $result; report(); return 0; }
