// expected: FALSE
extern int configured;
extern int read_sensor(void);
extern void log_value(int);
extern void reach_error(void);

int main(void) {
  int value = read_sensor();
  log_value(value);
  if (configured == 1 && value == 12)
    reach_error();
  return 0;
}
