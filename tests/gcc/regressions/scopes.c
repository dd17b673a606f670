// shadowing, static locals, recursion
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int x=1; int f(int x){ { int x=5; x++; { extern int x; x=7; } assert(x==6); } return x; }
struct T{int a;}; int g(void){ struct T{char c;}; enum{A=3}; typedef char x; x y=5; return sizeof(struct T)+A+y; }
int h(int n){ int r=0; for(int i=0;i<2;i++){ int i=10; r+=i++; } for(int n=0;n<2;n++) r+=n; { int r=99; r++; } return r+n; }
int k(void){ int s=0; { static int c=1; s+=c++; } { static int c=10; s+=c++; } return s; }
int label(int n){ x: if(n-->0) goto x; return n; } int rec(int n){ int a[2]={n,n+1}; int *p=a; if(n>0) rec(n-1); return p[0]+p[1]; } int fact(int n){ return n<=1?1:n*fact(n-1);} int ev(int),od(int); int ev(int n){return n==0?1:od(n-1);} int od(int n){return n==0?0:ev(n-1);}
int main(void){ assert(f(3)==3&&x==7); assert(g()==9); assert(h(4)==25); assert(k()==11&&k()==13); assert(label(3)==-1); assert(rec(3)==7); assert(fact(10)==3628800&&ev(10)==1); report(); return 0; }
