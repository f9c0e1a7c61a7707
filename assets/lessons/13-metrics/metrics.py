import headway as hw

batches = 20
report = "end"

weight = hw.randn(256, 1) * 0.01
hw.waitall()
hw.measure()
losses = []
for i in range(batches):
    with hw.minibatch():
        x = hw.randn(128, 256)
        loss = ((x @ weight - 1.0) ** 2).mean()
        weight = weight - x.transpose() @ (x @ weight - 1.0) * 0.0005
        if report == "each":
            print(f"minibatch {i + 1}: {loss.item():.4f}")
        else:
            losses.append(loss)
if losses:
    total = losses[0]
    for loss in losses[1:]:
        total = total + loss
    print(f"mean loss: {total.item() / len(losses):.4f}")
