#include "app/confinement/system_calls.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace headway::confinement {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kProcessor = 0;  // its system calls are not in this file: no filter
#endif

constexpr std::uint32_t kNewestCall = 469;            // file_setattr, Linux 6.17
constexpr std::uint32_t kForeignCalls = 0x40000000;   // x32, on x86-64
constexpr std::uint32_t kKindOfSocket = 0xf;          // without SOCK_CLOEXEC and SOCK_NONBLOCK
constexpr std::uint32_t kNewNamespaces = 0x7e020000;  // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
constexpr std::uint32_t kNewTimeNamespace = 0x00000080;  // of unshare only

// Requests of ioctl, from <asm/ioctls.h> and <linux/fs.h>: characters typed into a terminal, attributes of files.
constexpr std::uint32_t kRequests[] = {0x5412, 0x541c, 0x40086602, 0x40046602, 0x40087602, 0x401c5820};

// Numbers of calls that the headers of a distribution may not know. From 424 on all processors share them.
enum NewCall : long {
#if defined(__x86_64__)
    kexec_file_load = 320,
#else
    kexec_file_load = 294,
#endif
    pidfd_getfd = 438,
    process_madvise = 440,
    mount_setattr = 442,
    quotactl_fd = 443,
    process_mrelease = 448,
    fchmodat2 = 452,
    setxattrat = 463,
    removexattrat = 466,
    open_tree_attr = 467,
    file_setattr = 469
};

constexpr long kDenied[] = {
// Only on x86-64; other processors have the calls that end in -at.
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_iopl, SYS_ioperm, SYS_uselib,
    SYS_create_module, SYS__sysctl, SYS_modify_ldt,
#endif
    // Modes, owners, times and attributes of files.
    SYS_fchmod, SYS_fchmodat, fchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, setxattrat, removexattrat, file_setattr,
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, pidfd_getfd, process_madvise, process_mrelease,
    SYS_migrate_pages, SYS_move_pages, SYS_perf_event_open,
    // The view of the file system, and files without their path.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_open_tree, SYS_move_mount, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, mount_setattr, open_tree_attr, SYS_open_by_handle_at, SYS_fanotify_init,
    SYS_quotactl, quotactl_fd, SYS_swapon, SYS_swapoff,
    // Calls that this filter would not see, and code in the kernel.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_userfaultfd, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, kexec_file_load,
    // Keys; messages, semaphores and memory that outlive the program.
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_msgget, SYS_msgctl, SYS_semget, SYS_semctl, SYS_shmget, SYS_shmat,
    SYS_shmctl, SYS_mq_open, SYS_mq_unlink,
    // The computer.
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_reboot, SYS_syslog, SYS_acct, SYS_vhangup};

class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        unless(BPF_JEQ, kProcessor, EPERM);
        load(offsetof(seccomp_data, nr));
        when(BPF_JGE, kForeignCalls, EPERM);
        when(BPF_JGT, kNewestCall, ENOSYS);
    }
    void deny(long call, int error) { when(BPF_JEQ, static_cast<std::uint32_t>(call), error); }

    // What follows, up to end_of(), is about this call. It decides by one argument (its lower 32 bits) at a time.
    void begin(long call) {
        start_ = code_.size();
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 0));
    }
    void argument(int index) {
        load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(index)));
    }
    void masked(std::uint32_t mask) { code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask)); }
    void allow_if(std::uint32_t value) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    void deny_if(std::uint32_t value, int error) { when(BPF_JEQ, value, error); }
    void deny_if_any_of(std::uint32_t bits, int error) { when(BPF_JSET, bits, error); }
    void deny_unless(std::uint32_t value, int error) { unless(BPF_JEQ, value, error); }
    void otherwise_allow() { end(SECCOMP_RET_ALLOW); }
    void otherwise_deny(int error) { end(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

    // Installs it; returns 0 or errno.
    int install() {
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
    }

private:
    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void when(int test, std::uint32_t value, int error) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 0, 1));
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
    }
    void unless(int test, std::uint32_t value, int error) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, 1, 0));
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)));
    }
    void end(std::uint32_t action) {
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, action));
        code_[start_].jf = static_cast<std::uint8_t>(code_.size() - start_ - 1);
    }

    std::vector<sock_filter> code_;
    std::size_t start_ = 0;
};

void add_sockets(Filter& filter, bool network) {
    filter.begin(SYS_socket);
    filter.argument(0);
    if (network) {
        filter.allow_if(AF_INET);
        filter.allow_if(AF_INET6);
        filter.allow_if(AF_NETLINK);  // to ask for the computer's addresses
    }
    filter.deny_unless(AF_UNIX, EACCES);
    filter.argument(1);
    filter.masked(kKindOfSocket);
    filter.allow_if(SOCK_SEQPACKET);
    filter.otherwise_deny(EACCES);
    // A pair of datagram sockets could be connected to others.
    filter.begin(SYS_socketpair);
    filter.argument(1);
    filter.masked(kKindOfSocket);
    filter.allow_if(SOCK_STREAM);
    filter.allow_if(SOCK_SEQPACKET);
    filter.otherwise_deny(EACCES);
}

// Calls that take a process and may be made for the caller itself, which is 0.
void add_calls_for_oneself(Filter& filter) {
    for (const long call : {SYS_prlimit64, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr}) {
        filter.begin(call);
        filter.argument(0);
        filter.deny_unless(0, EPERM);
        filter.otherwise_allow();
    }
    constexpr std::pair<long, std::uint32_t> kPriorities[] = {{SYS_setpriority, PRIO_PROCESS}, {SYS_ioprio_set, 1}};
    for (const auto& [call, process] : kPriorities) {
        filter.begin(call);
        filter.argument(0);
        filter.deny_unless(process, EPERM);
        filter.argument(1);
        filter.deny_unless(0, EPERM);
        filter.otherwise_allow();
    }
    filter.begin(SYS_kill);
    filter.argument(0);
    filter.deny_if(0xffffffff, EPERM);  // all processes
    filter.otherwise_allow();
}

}  // namespace

bool can_filter_system_calls() {
    if (kProcessor == 0) {
        return false;
    }
    // Asks whether the kernel knows this action; Linux 4.14.
    const std::uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

core::Result<void> filter_system_calls(bool network) {
    Filter filter;
    for (const long call : kDenied) {
        filter.deny(call, EPERM);
    }
    filter.deny(SYS_clone3, ENOSYS);  // its flags are behind a pointer; the C library then calls clone
    filter.begin(SYS_clone);
    filter.argument(0);
    filter.deny_if_any_of(kNewNamespaces, EPERM);
    filter.otherwise_allow();
    filter.begin(SYS_unshare);
    filter.argument(0);
    filter.deny_if_any_of(kNewNamespaces | kNewTimeNamespace, EPERM);
    filter.otherwise_allow();
    filter.begin(SYS_ioctl);
    filter.argument(1);
    for (const std::uint32_t request : kRequests) {
        filter.deny_if(request, EPERM);
    }
    filter.otherwise_allow();
    add_calls_for_oneself(filter);
    add_sockets(filter, network);
    if (const int why = filter.install(); why != 0) {
        return core::Error{
            core::ErrorKind::unavailable,
            std::string("the program cannot be confined: the kernel rejects the filter of system calls: ") +
                std::strerror(why)};
    }
    return {};
}

}  // namespace headway::confinement
