#ifndef DRYSTONE_TERMIOS_H
#define DRYSTONE_TERMIOS_H

#include <drystone_types.h>

#define B0 0
#define B50 1
#define B75 2
#define B110 3
#define B134 4
#define B150 5
#define B200 6
#define B300 7
#define B600 8
#define B1200 9
#define B1800 10
#define B2400 11
#define B4800 12
#define B9600 13
#define B19200 14
#define B38400 15
#define B57600 0x1001
#define B115200 0x1002
#define B230400 0x1003
#define B460800 0x1004
#define B500000 0x1005
#define B576000 0x1006
#define B921600 0x1007
#define B1000000 0x1008
#define B1152000 0x1009
#define B1500000 0x100a
#define B2000000 0x100b
#define B2500000 0x100c
#define B3000000 0x100d
#define B3500000 0x100e
#define B4000000 0x100f
#define BRKINT 2
#define BS0 0
#define BS1 0x2000
#define BSDLY 0x2000
#define CLOCAL 0x800
#define CR0 0
#define CR1 0x200
#define CR2 0x400
#define CR3 0x600
#define CRDLY 0x600
#define CREAD 128
#define CS5 0
#define CS6 16
#define CS7 32
#define CS8 48
#define CSIZE 48
#define CSTOPB 64
#define ECHO 8
#define ECHOE 16
#define ECHOK 32
#define ECHONL 64
#define FF0 0
#define FF1 0x8000
#define FFDLY 0x8000
#define HUPCL 0x400
#define ICANON 2
#define ICRNL 0x100
#define IEXTEN 0x8000
#define IGNBRK 1
#define IGNPAR 4
#define IGNCR 128
#define INLCR 64
#define INPCK 16
#define ISIG 1
#define ISTRIP 32
#define IXANY 0x800
#define IXON 0x400
#define IXOFF 0x1000
#define NCCS 32
#define NL0 0
#define NL1 0x100
#define NLDLY 0x100
#define NOFLSH 128
#define OCRNL 8
#define OFDEL 128
#define OFILL 64
#define ONLCR 4
#define ONLRET 32
#define ONOCR 16
#define OPOST 1
#define PARMRK 8
#define PARENB 0x100
#define PARODD 0x200
#define TAB0 0
#define TAB1 0x800
#define TAB2 0x1000
#define TAB3 0x1800
#define TABDLY 0x1800
#define TCIFLUSH 0
#define TCIOFLUSH 2
#define TCIOFF 2
#define TCION 3
#define TCOOFF 0
#define TCOON 1
#define TCOFLUSH 1
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define TOSTOP 0x100
#define VEOF 4
#define VEOL 11
#define VERASE 2
#define VINTR 0
#define VKILL 3
#define VMIN 6
#define VQUIT 1
#define VSTART 8
#define VSTOP 9
#define VSUSP 10
#define VT0 0
#define VT1 0x4000
#define VTDLY 0x4000
#define VTIME 5

typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_line;
  cc_t c_cc[NCCS];
  speed_t c_ispeed;
  speed_t c_ospeed;
};

speed_t cfgetospeed(const struct termios *);
speed_t cfgetispeed(const struct termios *);
int cfsetospeed(struct termios *, speed_t);
int cfsetispeed(struct termios *, speed_t);
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
int tcsendbreak(int, int);
int tcdrain(int);
int tcflush(int, int);
int tcflow(int, int);
pid_t tcgetsid(int);

#endif
