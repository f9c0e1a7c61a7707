"""torch.nn.functional → Headway's PyTorch dialect."""


def relu(inputs):
    return inputs.relu()


def mse_loss(prediction, target, reduction="mean"):
    from torch.nn import MSELoss

    return MSELoss(reduction)(prediction, target)


def linear(inputs, weight, bias=None):
    result = inputs.matmul(weight, False, True)
    return result + bias if bias is not None else result


def __getattr__(name):
    raise AttributeError("Headway's PyTorch dialect has no torch.nn.functional.%s" % name)
