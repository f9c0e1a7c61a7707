"""Tensors that processes send each other in a confined program.

PyTorch sends the descriptor of shared memory through a Unix socket, which confinement denies. Here a message has the
values instead, so that a DataLoader's workers can send their batches.
"""


def unix_sockets_are_denied():
    import _socket

    try:
        _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM).close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def rebuilt(values, parameter, requires_grad):
    import io

    import torch

    tensor = torch.load(io.BytesIO(values))
    return torch.nn.Parameter(tensor, requires_grad) if parameter else tensor.requires_grad_(requires_grad)


def install(torch):
    if not unix_sockets_are_denied():
        return
    import io
    from multiprocessing.reduction import ForkingPickler

    from torch.multiprocessing.reductions import reduce_tensor

    def reduced(tensor):
        if tensor.device.type != "cpu" or (tensor.requires_grad and not tensor.is_leaf):
            return reduce_tensor(tensor)
        # A worker's batch is in shared memory so that it need not be copied; nobody else uses it.
        if tensor.is_shared() and torch.utils.data.get_worker_info() is None:
            raise RuntimeError("a confined program cannot send a tensor in shared memory to another process: pass it "
                               "when the process is forked, or send a clone()")
        buffer = io.BytesIO()
        torch.save(tensor.detach().clone(), buffer)
        return rebuilt, (buffer.getvalue(), isinstance(tensor, torch.nn.Parameter), tensor.requires_grad)

    ForkingPickler.register(torch.Tensor, reduced)
    ForkingPickler.register(torch.nn.Parameter, reduced)
