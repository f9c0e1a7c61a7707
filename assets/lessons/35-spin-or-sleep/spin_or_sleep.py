import headway as hw
import torch

products = 4
size = 1000
wait = "spin"

# make data
a = torch.randn(size, size, device="cuda") * size ** -0.5
done = torch.cuda.Event(blocking=True)
torch.cuda.synchronize()
hw.measure()

# issue
b = a
for _ in range(products):
    b = torch.mm(b, a)
done.record()

# wait
asked = 0
with hw.timed("until it is done"):
    if wait == "spin":
        while not done.query():
            asked += 1
    else:
        done.synchronize()
print("asked", asked, "times in vain")
