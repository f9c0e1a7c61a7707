import headway as hw
import torch

products = 4
size = 1000
order = "forgotten"

# make data
x = torch.randn(size, size, device="cuda") * (1 / size)
y = torch.zeros(size, size, device="cuda")
side = torch.cuda.Stream()
torch.cuda.synchronize()
hw.measure()

# the default stream changes y
for _ in range(products):
    y += torch.mm(x, x)
# another stream reads it
if order == "wait_stream":
    side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    early = y.mean()
torch.cuda.synchronize()
print("mean of y in the other stream: %.6f" % (early * 1e6).item())
print("mean of y when all is done:    %.6f" % (y.mean() * 1e6).item())
