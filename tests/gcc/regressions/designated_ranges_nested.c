// ranges before further designators, ranges inside the value
#include <assert.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
struct S{int x,y;} a3[4]={[0 ... 3].x=5}; int a4[3][3]={[1][2]=4,[0]={[0 ... 1]=3}};
int a5[2][3][3]={[1][2]={[0 ... 1]=3}};
int main(void){ 
assert(a4[1][2]==4&&a4[0][0]==3&&a4[0][1]==3&&a4[0][2]==0);
assert(a3[0].x==5);assert(a3[3].x==5&&a3[2].y==0);
assert(a5[1][2][0]==3); assert(a5[1][2][1]==3);assert(a5[1][2][2]==0); assert(a5[1][0][0]==0);
 report(); return 0; }
