// Is it correct? That depends on what `read_sensor`, a function without a body, may do. It is given a pointer to `status`: if it may
// write there (the default), `status` can be anything afterwards; if it only returns a value (--external pure), `status` is still 1.
extern int read_sensor(int channel, unsigned char *bytes);
extern void reach_error(void);

int main(void) {
  unsigned char status = 1;
  int got = read_sensor(0, &status);
  if (got > 0 && status != 1)
    reach_error();
  return 0;
}
