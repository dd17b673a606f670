// loops, continue, nesting, switch around loops
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int main(void){ int n=0,i=0; do { i++; if(i%2) continue; n++; } while(i<7); assert(n==3&&i==7); i=0; do if(i==3) break; while(++i<10); assert(i==3); i=0; while(1){ if(i++==5) break; } assert(i==6); while(i-->0) if(i==2) break; assert(i==2); for(;;){ for(;;) break; break; } n=0; for(i=0;i<3;i++) for(int j=0;j<3;j++){ if(j==1) continue; if(i==2) break; n++; } assert(n==4); i=5; while(i) i--; assert(!i); do ; while(i++<3); assert(i==4); for(i=10;i--;) ; assert(i==-1); unsigned u=3; for(;u-->0;) n++; assert(n==7&&u==-1u); float f; n=0; for(f=0;f<1;f+=0.25f) n++; assert(n==4); for(char c='a';c<='e';c++) n+=c=='c'; assert(n==5); int *p,a[3]={1,2,3}; for(p=a;p<a+3;p++) n+=*p; assert(n==11); i=0; outer: for(;i<3;i++){ for(int k=0;k<3;k++){ if(k==1){ i++; goto outer; } } } assert(i==3); if(0) for(;;); else if(1) i=9; else i=8; assert(i==9); if(i==9) if(i==8) n=0; else n=1; assert(n==1); { int i=0; { int i=5; i++; } assert(i==0);} switch(3){ case 1: while(0){ case 3: n=33; } } assert(n==33); switch(i){ for(;0;){ case 9: n=7; } } assert(n==7); report(); return 0; }
