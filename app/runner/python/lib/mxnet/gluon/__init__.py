"""mxnet.gluon → Headway's MXNet dialect. A trainer's step ends a minibatch: the barrier policy acts there."""

import _headway
from mxnet.gluon import loss, nn


class Trainer:
    def __init__(self, params, optimizer, optimizer_params=None):
        if str(optimizer).lower() != "sgd":
            raise ValueError("Headway's MXNet dialect has the optimizer sgd only, not %s" % optimizer)
        self._params = params
        options = dict(optimizer_params or {})
        self.learning_rate = options.pop("learning_rate", 0.01)
        if options:
            raise ValueError("Headway's sgd has no %s" % ", ".join(options))
        _headway.program_event("minibatch_begin")

    def step(self, batch_size, ignore_stale_grad=False):
        for parameter in self._params.values():
            data = parameter._data
            gradient = data.gradient if data is not None else None
            if gradient is not None:
                data.add_scaled_(gradient, -self.learning_rate / batch_size)
            elif not ignore_stale_grad:
                raise UserWarning("parameter %s has no gradient: was backward() called?" % parameter.name)
        _headway.program_event("minibatch_end")
        _headway.program_event("minibatch_begin")


class Parameter:
    """A named parameter of a layer. Its values exist from the first batch on (deferred initialisation)."""

    def __init__(self, name):
        self.name = name
        self._data = None

    def data(self):
        if self._data is None:
            raise RuntimeError("parameter %s has no values before the first batch" % self.name)
        return self._data

    def grad(self):
        return self.data().gradient


class ParameterDict(dict):
    pass


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.gluon.%s" % name)
