"""Tensors and modules in other processes.

PyTorch sends the descriptor of shared memory through a Unix socket, which confinement denies. Here a message has the
values instead, so that a DataLoader's workers can send their batches.

A process that is started by spawn or forkserver is a Python of its own, without the run's device: it gets PyTorch itself
and not the dialect of the same name.
"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))


def unix_sockets_are_denied():
    import _socket

    try:
        _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM).close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def install(torch):
    confined = unix_sockets_are_denied()
    prepare_spawn(confined)
    if confined:
        send_values(torch)


def prepare_spawn(confined):
    from multiprocessing import spawn

    real = spawn.get_preparation_data

    def data(name):
        if confined:
            raise RuntimeError("a confined program cannot start processes with spawn or forkserver, because they could "
                               "not send it tensors: use fork, the default")
        found = real(name)
        found["sys_path"] = [p for p in found["sys_path"] if os.path.abspath(p or ".") != HERE]
        return found

    spawn.get_preparation_data = data


def send_values(torch):
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
        values = tensor.detach().clone()
        if isinstance(tensor, torch.nn.Parameter):
            values = torch.nn.Parameter(values, tensor.requires_grad)
        buffer = io.BytesIO()
        torch.save(values.requires_grad_(tensor.requires_grad), buffer)
        buffer.seek(0)
        return torch.load, (buffer,)

    ForkingPickler.register(torch.Tensor, reduced)
    ForkingPickler.register(torch.nn.Parameter, reduced)
