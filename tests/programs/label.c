// expected: FALSE
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int state = 0;
  while (1) {
    switch (__VERIFIER_nondet_int()) {
    case 3:
      state = state == 0 ? 1 : 0;
      break;
    case 5:
      if (state == 1)
        goto ERROR;
      break;
    default:
      return 0;
    }
  }
ERROR:
  return 1;
}
