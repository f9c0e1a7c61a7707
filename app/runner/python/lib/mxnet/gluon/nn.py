"""mxnet.gluon.nn → Headway's MXNet dialect."""

import _headway


class Block:
    _count = 0

    def __init__(self):
        self._initialised = False
        self._ctx = None  # context of the parameters; None: that of the first batch

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def forward(self, *inputs):
        raise NotImplementedError("%s has no forward()" % type(self).__name__)

    def _blocks(self):
        return [value for value in self.__dict__.values() if isinstance(value, Block)]

    def initialize(self, init=None, ctx=None, force_reinit=False):
        self._initialised = True
        self._ctx = ctx[0] if isinstance(ctx, (list, tuple)) else ctx
        for block in self._blocks():
            block.initialize(init, ctx)

    def hybridize(self, active=True):
        """Has no effect: a hybridised net still runs op by op. Headway's tf.function shows traced graphs."""

    def _own_parameters(self):
        return {}

    def collect_params(self):
        from mxnet.gluon import ParameterDict

        found = ParameterDict()
        for name, parameter in self._own_parameters().items():
            found[name] = parameter
        for i, block in enumerate(self._blocks()):
            for name, parameter in block.collect_params().items():
                found["%d.%s" % (i, name)] = parameter
        return found


HybridBlock = Block


class Dense(Block):
    """inputs · weightᵀ + bias; the first batch sets the number of inputs."""

    def __init__(self, units, activation=None, use_bias=True, flatten=True, in_units=0):
        super().__init__()
        from mxnet.gluon import Parameter

        if activation not in (None, "relu"):
            raise ValueError("Headway's MXNet dialect has the activation relu only, not %s" % activation)
        self._units = units
        self._activation = activation
        self._flatten = flatten
        self.weight = Parameter("weight")
        self.bias = Parameter("bias") if use_bias else None

    def _own_parameters(self):
        return {"weight": self.weight, **({"bias": self.bias} if self.bias is not None else {})}

    def _create(self, inputs, device):
        from mxnet.np import _number, ndarray

        if not self._initialised:
            raise RuntimeError("the layer has not been initialised: call net.initialize() first")
        where = (ndarray, None, False, device if self._ctx is None else _number(self._ctx))
        self.weight._data = _headway.uniform((self._units, inputs), -0.07, 0.07, *where)
        self.weight._data.attach_grad()
        if self.bias is not None:
            self.bias._data = _headway.full((self._units,), 0.0, *where)
            self.bias._data.attach_grad()

    def forward(self, inputs):
        if self._flatten and len(inputs.shape) > 2:
            inputs = inputs.reshape(inputs.shape[0], -1)
        if self.weight._data is None:
            self._create(inputs.shape[-1], inputs.device_number)
        result = inputs.matmul(self.weight._data, False, True)
        if self.bias is not None:
            result = result + self.bias._data
        return result.relu() if self._activation == "relu" else result


class Activation(Block):
    def __init__(self, activation):
        super().__init__()
        if activation != "relu":
            raise ValueError("Headway's MXNet dialect has the activation relu only, not %s" % activation)

    def forward(self, inputs):
        return inputs.relu()


class Sequential(Block):
    def __init__(self):
        super().__init__()
        self._layers = []

    def add(self, *blocks):
        self._layers += blocks

    def _blocks(self):
        return self._layers

    def __len__(self):
        return len(self._layers)

    def __getitem__(self, i):
        return self._layers[i]

    def forward(self, inputs):
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs


HybridSequential = Sequential


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.gluon.nn.%s" % name)
