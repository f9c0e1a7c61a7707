"""mxnet.gluon.loss → Headway's MXNet dialect."""


class L2Loss:
    """Half the squared difference, averaged over all axes but the first: one loss per sample."""

    def __init__(self, weight=1.0):
        self._weight = weight

    def __call__(self, pred, label):
        # Gluon reshapes the label to the prediction's shape. The chapter swaps the two arguments, so the one with more
        # dimensions decides.
        if len(label.shape) > len(pred.shape):
            pred = pred.reshape(label.shape)
        elif tuple(label.shape) != tuple(pred.shape):
            label = label.reshape(pred.shape)
        loss = (label - pred) ** 2 * (self._weight / 2)
        return loss.reshape(loss.shape[0], -1).mean(1)


def __getattr__(name):
    raise AttributeError("Headway's MXNet dialect has no mxnet.gluon.loss.%s" % name)
