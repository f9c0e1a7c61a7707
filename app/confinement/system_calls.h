// Denies system calls that a learner's program does not need and that act outside its folders, with a seccomp filter
// (Linux 3.5, in its present form 3.17). Landlock decides by path, this filter by the call alone: a filter sees numbers
// and not what a pointer points to. So what it denies, it denies everywhere, in the program's own folders as well.
//
//   denied                                         error
//   modes, owners, times, attributes of files      EPERM
//   ptrace, memory and descriptors of others       EPERM
//   limits and priorities of others, kill(-1)      EPERM
//   mounts, namespaces, keys, modules, BPF,        EPERM
//   io_uring, clocks, System V and POSIX queues
//   typing into the terminal (TIOCSTI)             EPERM
//   sockets, but for pairs within the program      EACCES; with the network allowed, only IPv4 and IPv6 are free
//   calls that are newer than this list, clone3    ENOSYS, so that libraries use the older call
//
// Unix sockets of type SOCK_SEQPACKET stay allowed: a GPU's driver opens one. Displays and D-Bus use streams.
//
// The filter is written here and not with libseccomp: it is one list and six rules, and so every build has it.
//
// Threads: the one that begins the program, before it starts others: threads that run already stay unfiltered.
#pragma once

#include "engine/core/result.h"

namespace headway::confinement {

// Whether the kernel has seccomp filters and this build knows the processor's system calls (x86-64, AArch64).
bool can_filter_system_calls();

// For the calling thread, threads and processes started later, irrevocably. The caller has given up privileges
// (PR_SET_NO_NEW_PRIVS).
core::Result<void> filter_system_calls(bool network);

}  // namespace headway::confinement
