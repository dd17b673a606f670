// aligned types and declarations
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
typedef struct {int a;} __attribute__((aligned(64))) A64; A64 g; char pad; A64 ga[2]; static __attribute__((aligned(128))) char gb[3]; void f(A64 p,int n){ }
int main(void){ char x; A64 l; char y; assert(((uintptr_t)&g&63)==0&&((uintptr_t)ga&63)==0&&((uintptr_t)gb&127)==0&&((uintptr_t)&l&63)==0); assert(sizeof ga==128); f(l,1); void*m=malloc(3); assert(((uintptr_t)m&15)==0); double d; long long ll; assert(((uintptr_t)&d&3)==0); A64 *pc=&(A64){3}; assert(((uintptr_t)pc&63)==0); assert(_Alignof(A64)==64&&__alignof__(l)==64); struct{char c; A64 a;} st; assert(sizeof st==128&&((uintptr_t)&st.a&63)==0); report(); return 0; }
