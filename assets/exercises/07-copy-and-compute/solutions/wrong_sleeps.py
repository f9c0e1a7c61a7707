# wrong
# fails: time
# says: are enough
import headway as hw
import time

rounds = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.1
y = w
copies = []
for i in range(rounds):
    y = y @ w
    time.sleep(0.001)
    copies.append(y.to("cpu"))
hw.waitall()
