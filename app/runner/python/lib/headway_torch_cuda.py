"""Parts of torch.cuda that a PyTorch without CUDA lacks: memory numbers, one GPU's DataParallel, what it cannot do."""


def install(torch, ops, checked):
    """`checked`: raises for what names no GPU of the run."""
    replace_memory(torch, ops, checked)
    replace_profiler(torch)
    replace_parallel(torch)
    cuda = torch.cuda
    cuda.get_arch_list = lambda: []
    cuda.get_gencode_flags = lambda: ""
    cuda.can_device_access_peer = lambda device, peer: checked(device) != checked(peer)
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # PyTorch's warns that there is none

    def missing(name):
        if name.startswith("_cuda_"):
            raise AttributeError("Headway's CUDA device does not have what this call needs (torch._C.%s); "
                                 "docs/pytorch.md has the limits" % name)
        raise AttributeError("module 'torch._C' has no attribute '%s'" % name)

    torch._C.__getattr__ = missing


def replace_memory(torch, ops, checked):
    cuda = torch.cuda
    most_reserved = 0

    def numbers(device):
        nonlocal most_reserved
        checked(device)
        allocated, peak, reserved, total = ops.memory()
        most_reserved = max(most_reserved, reserved)
        return allocated, peak, reserved, total, most_reserved

    def number(index):
        return lambda device=None: numbers(device)[index]

    def reset(device=None):
        nonlocal most_reserved
        checked(device)
        ops.reset_peak()
        most_reserved = 0

    def empty_cache():
        numbers(None)
        ops.empty_cache()

    def memory_stats(device=None):
        allocated, peak, reserved, _, most = numbers(device)
        return {"allocated_bytes.all.current": allocated, "allocated_bytes.all.peak": peak,
                "reserved_bytes.all.current": reserved, "reserved_bytes.all.peak": most}

    def memory_summary(device=None, abbreviated=False):
        rows = ["%-18s %18s %18s" % ("Memory in bytes", "now", "at most")]
        stats = memory_stats(device)
        for what in ("allocated", "reserved"):
            rows.append("%-18s %18d %18d" % (what, *(stats["%s_bytes.all.%s" % (what, w)] for w in ("current", "peak"))))
        return "\n".join(rows) + "\n"

    def memory_snapshot():
        raise NotImplementedError("Headway's CUDA device has no memory_snapshot(); memory_stats() has its numbers")

    def mem_get_info(device=None):
        _, _, reserved, total, _ = numbers(device)
        return max(total - reserved, 0), total

    for where in (cuda, cuda.memory):
        where.memory_allocated, where.max_memory_allocated = number(0), number(1)
        where.memory_reserved = where.memory_cached = number(2)
        where.max_memory_reserved = where.max_memory_cached = number(4)
        where.reset_peak_memory_stats = where.reset_max_memory_allocated = where.reset_max_memory_cached = reset
        where.memory_stats, where.memory_summary, where.memory_snapshot = memory_stats, memory_summary, memory_snapshot
        where.mem_get_info, where.empty_cache = mem_get_info, empty_cache
    cuda.ipc_collect = lambda: None


def replace_profiler(torch):
    """Profilers have no times of the device: they take those of the CPU alone."""
    import functools

    profile = torch.autograd.profiler.profile
    real = profile.__init__

    @functools.wraps(real)
    def on_cpu(self, enabled=True, *, use_cuda=False, use_cpu=True, **options):
        real(self, enabled, use_cuda=False, use_cpu=use_cpu or use_cuda, **options)

    profile.__init__ = on_cpu


def replace_parallel(torch):
    """nn.DataParallel with the one GPU."""
    from torch.nn.parallel import _functions, comm

    def scatter(tensor, devices=None, chunk_sizes=None, dim=0, streams=None, *, out=None):
        return (tensor.to("cuda"),)

    def gather(tensors, dim=0, destination=None, *, out=None):
        (tensor,) = tensors
        return tensor.cpu() if destination in ("cpu", -1) else tensor.to("cuda")

    comm.scatter, comm.gather = scatter, gather
    _functions._get_stream = lambda device: torch.cuda.current_stream()
