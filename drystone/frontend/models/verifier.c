/* <verifier>, which is no header: what verification tasks ask for beyond single values. Exact. */
typedef __SIZE_TYPE__ size_t;
unsigned char __VERIFIER_nondet_uchar(void);

void __VERIFIER_nondet_memory(void *memory, size_t size) {
  unsigned char *bytes = memory;
  for (size_t i = 0; i < size; i++)
    bytes[i] = __VERIFIER_nondet_uchar();
}
