import headway as hw

batches = 20
report = "end"

features = hw.randn(1024, 1024) * 0.03
weight = hw.randn(1024, 1) * 0.03
hw.waitall()
hw.measure()
losses = []
for i in range(batches):
    with hw.minibatch():
        hidden = (hw.randn(512, 1024) @ features).relu()
        error = hidden @ weight - 1.0
        loss = (error * error).mean()
        weight = weight - hidden.transpose() @ error * 0.00001
        if report == "each":
            print(f"minibatch {i + 1}: {loss.item():.4f}")
        losses.append(loss)
total = losses[0]
for loss in losses[1:]:
    total = total + loss
print(f"mean loss: {total.item() / len(losses):.4f}")
