"""torch.optim → Headway's PyTorch dialect. A step ends a minibatch: the barrier policy acts there."""

import _headway


class SGD:
    def __init__(self, params, lr=1e-3, **options):
        for name, value in options.items():
            if value:
                raise NotImplementedError("Headway's PyTorch dialect has no torch.optim.SGD(%s=%r)" % (name, value))
        self.params = list(params)
        self.lr = lr
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")
        _headway.program_event("minibatch_begin")

    def zero_grad(self, set_to_none=True):
        for parameter in self.params:
            parameter.drop_gradient()

    def step(self):
        before = _headway.set_recording(False)
        for parameter in self.params:
            gradient = parameter.gradient
            if gradient is not None:
                parameter.add_scaled_(gradient, -self.lr)
        _headway.set_recording(before)
        if self.params[0].waits:
            _headway.framework_wait(self.params[0].device_number)
        _headway.program_event("minibatch_end")
        _headway.program_event("minibatch_begin")

    def __getattr__(self, name):
        raise AttributeError("Headway's PyTorch dialect has no torch.optim.SGD.%s" % name)


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.optim.%s" % name)
