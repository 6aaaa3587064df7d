// Valgrind 3.19, that of Debian 12, writes into the signal mask that sigsuspend is given, and crashes where it is constant, as in
// libdispatch. Loaded with LD_PRELOAD before the program: gives the system a copy.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  sigset_t copy = *mask;
  return (int)syscall(SYS_rt_sigsuspend, &copy, 8);  // 8: bytes of the kernel's own mask
}
