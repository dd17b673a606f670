// block-scope extern, objects and functions with the name of a local
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int x=1; int a[2]={1,2}; int q=9;
int get(void){return x;} 
int f(void){ return 77; }
int main(void){ x=5; a[0]=50; int before=x; int x=2; int a[2]={7,8}; { extern int x; x++; assert(x==6);} assert(x==2); assert(get()==6); assert(before==5); assert(a[0]==7); {extern int a[2]; assert(a[0]==50);}
 int (*pf)(void)=f; int f=3; int *pp=&f; *pp=4; assert(f==4); assert(pf()==77); report(); return 0; }
