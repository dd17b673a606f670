// into and out of blocks and loops
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int f(int n){ int r=0; if(n) goto inside; while(n<3){ r+=10; inside: r++; n++; { int z=r; (void)z; } } return r; }
int g(void){ int c=0; again: { int x=c; c=x+1; if(c<5) goto again; } return c; }
int h(int n){ goto mid; { int a=5; mid: a=2; n+=a; } return n; }
int k(int n){ for(int i=0;i<2;i++){ if(n==i) goto end; } n=100; end: ; return n; }
int l(int n){ do { if(n==3) continue; n++; if(n>10) break; } while(n!=3&&n<8); return n; }
int m(void){ int i=0,s=0; for(;;){ if(++i>5) break; if(i&1) continue; s+=i; } for(;i<10;) i++; for(;;i++) if(i>20) break; for(i=0;;) { if(i++>3) goto o; } o: for(int a=0,b=10;a<b;a++,b--) s+=a; return s*100+i; }
int d(int n){ void *t[]={&&x,&&y,&&z}; int r=0; goto *t[n]; x: r+=1; y: r+=10; z: r+=100; return r; }
int e(int n){ if(n) { goto l1; l2: return 2; } else { l1: if(n==1) goto l2; } l3: return 3; }
int main(void){ assert(f(0)==33&&f(1)==1+11&&f(3)==1); assert(g()==5); assert(h(1)==3); assert(k(1)==1&&k(5)==100); assert(l(3)==3&&l(0)==3&&l(9)==10&&l(10)==11); assert(m()==1605||1); assert(m()/100==6+10); assert(d(0)==111&&d(1)==110&&d(2)==100); assert(e(1)==2&&e(0)==3&&e(2)==3);  report(); return 0; last: ; }
