// ranges, nesting, Duff, all condition types
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
enum E{A=-2,B,C=5}; 
int f(int x){ int r=0; switch(x){ default: r=100; case 1: r+=1; break; case 3 ... 5: r=35; case -7 ... -3: r+=2; break; case 2: { int y=4; case 9: y=3; r=y; } } return r; }
int g(unsigned long long x){ switch(x){ case 0xFFFFFFFFFFFFFFFFULL: return 1; case 0x8000000000000000ULL: return 2; case 1ULL<<40: return 3; case 5 ... 0xffffffffULL: return 4; } return 0; }
int h(unsigned x){ switch(x){ case -1: return 1; case 0x80000000: return 2; case 0x80000001 ... -3: return 3; case -2: return 4; } return 0; }
int k(signed char c){ switch(c){ case 'a': return 1; case '\377': return 2; case -128: return 3; case 200: return 4;} return 0;}
int e(enum E x){ switch(x){ case A: return 1; case B: return 2; case C: return 3;} return 0; }
int ll(long long x){ switch(x){ case 1: return 1; case 4294967297LL: return 2; case -1: return 3; case -4294967296LL ... -4294967000LL: return 4; } return 0; }
int duff(int n){ int c=0; int it=(n+3)/4; switch(n%4){ case 0: do{ c++; case 3: c++; case 2: c++; case 1: c++; }while(--it>0); } return c; }
int nocase(int x){ switch(x){ x=5; } switch(x++); switch(x) case 3: return 7; switch(x){ default:; } return x; }
int nest(int a,int b){ int r=0; for(int i=0;i<3;i++){ switch(a){ case 0: switch(b){ case 0: continue; case 1: r+=10; break; default: r+=100; } r++; break; case 1: if(b){ case 2: r+=1000; continue; } else break; } r+=5; } return r; }
int bs(_Bool b){ switch(b){ case 0: return 5; case 1: return 6; } return 7; }
struct {unsigned b:3; int s:3;} bf;
int main(void){ assert(f(0)==101&&f(1)==1&&f(2)==3&&f(3)==37&&f(5)==37&&f(-7)==2&&f(-3)==2&&f(-2)==101&&f(9)==3); assert(g(-1)==1&&g(1ULL<<63)==2&&g(1ULL<<40)==3&&g(77)==4&&g(4)==0); assert(h(-1)==1&&h(0x80000000u)==2&&h(0x80000006u)==3&&h(-2)==4&&h(4)==0); assert(k('a')==1&&k(-1)==2&&k(-128)==3&&k(-56)==0); assert(e(A)==1&&e(B)==2&&e(C)==3); assert(ll(1)==1&&ll(4294967297LL)==2&&ll(-1)==3&&ll(-4294967200LL)==4&&ll(4294967295LL)==0); for(int i=1;i<9;i++)assert(duff(i)==i); assert(nocase(2)==7&&nocase(5)==6); assert(nest(0,0)==0&&nest(0,1)==48&&nest(0,2)==318&&nest(1,0)==15&&nest(1,1)==3000&&nest(2,0)==3000&&nest(9,9)==15); assert(bs(3)==6); bf.s=-1; switch(bf.s){case -1: break; default: assert(0);} bf.b=7; switch(bf.b){case 7: break; default: assert(0);} report(); return 0; }
