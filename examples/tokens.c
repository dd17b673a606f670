// Correct, for any number of steps: tokens move between three places, none is lost and none appears.
// No bound on the loop helps; the proof needs the invariant free + used + lost == 10.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned free = 10, used = 0, lost = 0;
  while (__VERIFIER_nondet_int()) {
    switch (__VERIFIER_nondet_int()) {
    case 0:
      if (free > 0) {
        free--;
        used++;
      }
      break;
    case 1:
      if (used > 0) {
        used--;
        free++;
      }
      break;
    default:
      if (used > 0) {
        used--;
        lost++;
      }
    }
  }
  if (free + used + lost != 10)
    reach_error();
  return 0;
}
