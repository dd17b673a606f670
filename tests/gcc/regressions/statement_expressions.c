// control flow out of statement expressions
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int f(int n){ int s=0; for(int i=0;i<n;i++){ int v=({ if(i==2) continue; if(i==5) break; i*2; }); s+=v; } return s; }
int g(int n){ int x=({ if(n) return 7; goto out; 5; }); out: return 9; }
int h(int n){ int s=0; switch(n){ case 1: s=({ if(n) break; 4;}); default: s+=10; } return s; }
struct S{int a[3];}; 
int k(void){ int t=1; int r=t+({ t=5; t*2; })+t; return r; }
int m(int x){ return ({ int y=x; while(y>10) y-=3; y; })+({ int y=1; y<<x%4; }); }
int main(void){ assert(f(10)==0+2+6+8); assert(g(1)==7&&g(0)==9); assert(h(1)==0&&h(2)==10); struct S s=({ struct S t={{1,2,3}}; t.a[1]=9; t; }); assert(s.a[1]==9); assert(({struct S t={{4,5,6}}; t;}).a[2]==6); assert(m(20)==8+1); ({;}); ({ int u=3; (void)u; }); int z=({ int q; q=4; q++; }); assert(z==4); 
 int w=0; while(({ w++; w<4; })); assert(w==4); assert(({ __label__ l; int c=0; l: c++; if(c<3) goto l; c; })==3); int (*fp)(int)=({ g; }); assert(fp(1)==7); char *str=({ "abc"; }); assert(str[1]=='b'); int arr[2]={({1;}),({2;})}; assert(arr[1]==2); report(); return 0; }
