// void operands of ?: and comma
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
int n; void f(void){n++;} int g(void){ n+=10; return 1;}
int main(void){ int c=1; c?f():(void)g(); c&&(f(),1); (void)(c||g()); !c||(n+=100); assert(n==102); c?(void)0:f(); (c?g:g)(); assert(n==112); if(f(),n>0) n=1; while(f(),n<5); assert(n==5); for(f();f(),n<9;f()); assert(n==9||n==10); report(); return 0; }
