// types and laziness of ?:, && and ||
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int g=1; struct S{int a; long long b;}; struct S s1={1,2},s2={3,4}; int side; int bump(void){ side++; return 1; }
int vf; void v1(void){vf=1;} void v2(void){vf=2;}
int main(void){ int c=g; (c?v1:v2)(); assert(vf==1); c?v2():v1(); assert(vf==2); assert((c?s1:s2).b==2&&(c?&s1:&s2)->b==2); int x=c?bump():0; assert(side==1&&x==1); x=!c?bump():7; assert(side==1&&x==7); unsigned u=c?-1:0u; assert(u>0); long long l=c?-1:0u; assert(l==4294967295LL); double d=c?1:2.5; assert(d==1); void *vp=c?&s1:(void*)0; assert(vp==&s1); const char *n=c?"a":0; assert(*n=='a'); int arr[2]={1,2},brr[2]={3,4}; assert((c?arr:brr)[1]==2); char ch=c?200:1; assert(ch==-56); _Bool b=c?0.5:0; assert(b==1); int i=0; (c&&i++)||i++; assert(i==2); i=c?(i=5,i+1):0; assert(i==6); int z=c<2==1; assert(z); z=-c<0u; assert(!z); assert((c||1/0*0)==1); int dv=0; assert(!(dv&&10/dv)); assert((dv==0||10/dv)==1); assert((dv?10/dv:5)==5); int *np=0; assert(!(np&&*np)); assert((np?*np:3)==3); report(); return 0; }
