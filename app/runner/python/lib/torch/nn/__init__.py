"""torch.nn → Headway's PyTorch dialect."""

import _headway


# What PyTorch's modules have, and those of this dialect do not.
MISSING = """add_module apply bfloat16 buffers compile double float get_buffer get_extra_state get_parameter
    get_submodule half load_state_dict modules named_buffers named_children named_modules named_parameters
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_module register_parameter requires_grad_ share_memory state_dict to_empty type""".split()


class Module:
    training = True

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def forward(self, *inputs):
        raise NotImplementedError("%s has no forward()" % type(self).__name__)

    def children(self):
        return [value for value in self.__dict__.values() if isinstance(value, Module)]

    def own_parameters(self):
        import torch

        return [n for n, v in self.__dict__.items() if isinstance(v, torch.Tensor) and v.leaf]

    def parameters(self):
        for name in self.own_parameters():
            yield getattr(self, name)
        for child in self.children():
            yield from child.parameters()

    def to(self, *what, device=None, dtype=None, non_blocking=False):
        """Moves the parameters: to(device, dtype), to(dtype) or to(tensor)."""
        import torch

        where, non_blocking, _ = torch._destination(what, device, dtype, non_blocking, False)
        if where is None:
            return self
        for name in self.own_parameters():
            moved = getattr(self, name).detach().to(where, non_blocking=non_blocking)
            setattr(self, name, moved.requires_grad_())
        for child in self.children():
            child.to(where, non_blocking=non_blocking)
        return self

    def cuda(self, device=None):
        return self.to("cuda" if device is None else device)

    def cpu(self):
        return self.to("cpu")

    def train(self, mode=True):
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def zero_grad(self):
        for parameter in self.parameters():
            parameter.drop_gradient()

    def __getattr__(self, name):
        if name in MISSING:
            raise AttributeError("Headway's PyTorch dialect has no torch.nn.Module.%s" % name)
        raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))


def __getattr__(name):
    if name == "functional":
        import importlib

        return importlib.import_module("torch.nn.functional")
    raise AttributeError("Headway's PyTorch dialect has no torch.nn.%s" % name)


def Parameter(data):
    """A tensor that optimisers update."""
    return data.detach().requires_grad_()


class Linear(Module):
    """inputs · weightᵀ + bias; weight is (out_features, in_features)."""

    def __init__(self, in_features, out_features, bias=True, device=None):
        super().__init__()
        import torch

        where = torch._device(device)
        half = 1.0 / in_features**0.5
        make = lambda shape: _headway.uniform(
            shape, -half, half, torch.Tensor, where, where.type == "cpu", where._number
        )
        self.weight = make((out_features, in_features)).requires_grad_()
        self.bias = make((out_features,)).requires_grad_() if bias else None

    def forward(self, inputs):
        result = inputs.matmul(self.weight, False, True)
        return result + self.bias if self.bias is not None else result


class ReLU(Module):
    def forward(self, inputs):
        return inputs.relu()


class Flatten(Module):
    def forward(self, inputs):
        return inputs.reshape(inputs.shape[0], -1)


class Sequential(Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = list(layers)

    def children(self):
        return self.layers

    def __getitem__(self, i):
        return self.layers[i]

    def forward(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs


class MSELoss(Module):
    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError("%s is not a valid value for reduction" % reduction)
        self.reduction = reduction

    def forward(self, prediction, target):
        if tuple(prediction.shape) != tuple(target.shape):
            target = target.reshape(tuple(prediction.shape))
        squared = (prediction - target) ** 2
        return squared.mean() if self.reduction == "mean" else squared.sum() if self.reduction == "sum" else squared
