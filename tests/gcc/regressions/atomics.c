// atomic builtins and C11 atomics
#include <assert.h>
#include <stdatomic.h>
unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() (checksum++, printf("%llx\n", checksum))
#else
#define report() checksum++
#endif
_Atomic int c; atomic_int d=ATOMIC_VAR_INIT(3); int n;
int main(void){ c=5; c++; c+=2; assert(c==8); assert(atomic_fetch_add(&d,2)==3&&atomic_load(&d)==5); atomic_store(&d,9); int e=9; assert(atomic_compare_exchange_strong(&d,&e,1)&&d==1); e=7; assert(!atomic_compare_exchange_strong(&d,&e,2)&&e==1); assert(__sync_fetch_and_add(&n,3)==0&&n==3&&__sync_add_and_fetch(&n,1)==4); assert(__sync_bool_compare_and_swap(&n,4,10)&&n==10&&__sync_val_compare_and_swap(&n,10,11)==10); assert(__atomic_exchange_n(&n,1,5)==11&&__atomic_load_n(&n,0)==1); atomic_flag f=ATOMIC_FLAG_INIT; assert(!atomic_flag_test_and_set(&f)&&atomic_flag_test_and_set(&f)); unsigned char uc=255; assert(__sync_add_and_fetch(&uc,1)==0); short s=-1; assert(__atomic_fetch_sub(&s,1,0)==-1&&s==-2); __sync_synchronize(); assert(__atomic_fetch_nand(&n,1,0)==1&&n==-2); report(); return 0; }
