"""Parts of torch.cuda that a PyTorch without CUDA lacks: memory numbers, copies for DataParallel, what it cannot do."""


def install(torch, ops, checked):
    """`checked`: the number of a GPU of the run; raises for what names none."""
    replace_memory(torch, ops, checked)
    replace_profiler(torch)
    replace_parallel(torch)
    allow_tensor_types(torch)
    cuda = torch.cuda
    cuda.get_arch_list = lambda: []
    cuda.get_gencode_flags = lambda: ""
    cuda.is_current_stream_capturing = cuda.graphs.is_current_stream_capturing = lambda: False
    cuda.can_device_access_peer = lambda device, peer: checked(device) != checked(peer)
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # PyTorch's warns that there is none

    def missing(name):
        if name.startswith(("_cuda_", "_nccl_")):
            raise AttributeError("Headway's CUDA device does not have what this call needs (torch._C.%s); "
                                 "docs/pytorch.md has the limits" % name)
        raise AttributeError("module 'torch._C' has no attribute '%s'" % name)

    torch._C.__getattr__ = missing

    class CUDAGraph:
        def __init__(self):
            raise RuntimeError("Headway's CUDA device has no CUDA graphs; docs/pytorch.md has the limits")

    CUDAGraph.__module__ = "torch.cuda"
    cuda.CUDAGraph = cuda.graphs.CUDAGraph = CUDAGraph


def replace_memory(torch, ops, checked):
    cuda = torch.cuda
    most_reserved = {}  # of each GPU, when it was last asked for

    def numbers(device):
        number = checked(device)
        allocated, peak, reserved, total = ops.memory(number)
        most_reserved[number] = max(most_reserved.get(number, 0), reserved)
        return allocated, peak, reserved, total, most_reserved[number]

    def number(index):
        return lambda device=None: numbers(device)[index]

    def reset(device=None):
        number = checked(device)
        ops.reset_peak(number)
        most_reserved[number] = 0

    def empty_cache():
        for number in range(ops.gpus()):
            numbers(number)
        ops.empty_cache()

    def memory_stats(device=None):
        allocated, peak, reserved, _, most = numbers(device)
        return {"allocated_bytes.all.current": allocated, "allocated_bytes.all.peak": peak,
                "active_bytes.all.current": allocated, "active_bytes.all.peak": peak,
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
    """The functions of a PyTorch with CUDA that torch.nn.parallel calls. The copies go to the current streams, because
    streams of their own would take lanes of the run."""
    from torch._utils import _flatten_dense_tensors, _reorder_tensors_as, _take_tensors, _unflatten_dense_tensors
    from torch.nn.parallel import _functions

    def place(number):
        return torch.device("cpu") if number == -1 else torch.device("cuda", number)

    def pieces(tensor, count, sizes, dim):
        return tensor.chunk(count, dim) if sizes is None else tensor.split(sizes, dim)

    def scatter(tensor, devices, sizes, dim, streams):
        found = pieces(tensor, len(devices), sizes, dim)
        return [piece.to(place(number), non_blocking=True) for piece, number in zip(found, devices)]

    def scatter_out(tensor, out, dim, streams):
        for piece, each in zip(pieces(tensor, len(out), [each.size(dim) for each in out], dim), out):
            each.copy_(piece, non_blocking=True)
        return out

    def gather_out(tensors, out, dim):
        for piece, tensor in zip(out.split([each.size(dim) for each in tensors], dim), tensors):
            piece.copy_(tensor, non_blocking=out.is_cuda)
        return out

    def gather(tensors, dim, destination):
        sizes = list(tensors[0].shape)
        sizes[dim] = sum(each.size(dim) for each in tensors)
        where = torch.cuda.current_device() if destination is None else destination
        return gather_out(tensors, torch.empty(sizes, dtype=tensors[0].dtype, device=place(where)), dim)

    def broadcast(tensor, devices):
        return [tensor.to(place(number)) for number in devices]

    def broadcast_out(tensor, out):
        for each in out:
            each.copy_(tensor)
        return out

    def broadcast_coalesced(tensors, devices, buffer_size):
        """Copies tensors together, up to buffer_size bytes at a time; the first device gets the tensors themselves."""
        outs = [list(tensors), *([] for _ in devices[1:])]
        for several in _take_tensors(tensors, buffer_size):
            flat = _flatten_dense_tensors(several)
            for out, number in zip(outs[1:], devices[1:]):
                out.extend(_unflatten_dense_tensors(flat.to(place(number)), several))
        return [outs[0], *(_reorder_tensors_as(out, tensors) for out in outs[1:])]

    for own in (scatter, scatter_out, gather, gather_out, broadcast, broadcast_out, broadcast_coalesced):
        setattr(torch._C, "_" + own.__name__, own)
    torch.cuda.nccl.is_available = lambda tensors: False
    _functions._get_stream = lambda number: torch.cuda.current_stream(number)


def allow_tensor_types(torch):
    """torch.cuda.FloatTensor and its like: PyTorch has these types for its CUDA key also without CUDA, but refuses to
    make tensors of them, or to use one as the default type. The flag that it checks is in memory before the type's
    name."""
    import ctypes

    for name, kind in vars(torch.cuda).items():
        if type(kind).__name__ == "tensortype":
            start, room = id(kind) + type(kind).__basicsize__, 64
            at = ctypes.string_at(start, room).find(b"torch.cuda.%s\0" % name.encode()) - 1
            if at >= 0 and ctypes.string_at(start + at, 1) == b"\1":
                ctypes.memset(start + at, 0, 1)
