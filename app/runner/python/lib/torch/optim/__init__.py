"""torch.optim → Headway's PyTorch dialect. A step ends a minibatch: the barrier policy acts there."""

import _headway


# What PyTorch's SGD has besides.
OPTIONS = "momentum dampening weight_decay nesterov maximize foreach differentiable fused".split()
MISSING = """add_param_group defaults load_state_dict param_groups register_load_state_dict_post_hook
register_load_state_dict_pre_hook register_state_dict_post_hook register_state_dict_pre_hook register_step_post_hook
register_step_pre_hook state state_dict""".split()


class SGD:
    def __init__(self, params, lr=1e-3, **options):
        for name, value in options.items():
            if name not in OPTIONS:
                raise TypeError("SGD.__init__() got an unexpected keyword argument %r" % name)
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
        if name in MISSING:
            raise AttributeError("Headway's PyTorch dialect has no torch.optim.SGD.%s" % name)
        raise AttributeError("'SGD' object has no attribute %r" % name)


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.optim.%s" % name)
