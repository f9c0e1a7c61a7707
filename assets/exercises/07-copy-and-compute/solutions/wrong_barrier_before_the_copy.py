# wrong
# fails: overlap
# says: overlap for
import headway as hw

rounds = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.1
y = w
copies = []
for i in range(rounds):
    y = y @ w
    y.wait_to_read()
    copies.append(y.to("cpu"))
    hw.waitall()
hw.waitall()
