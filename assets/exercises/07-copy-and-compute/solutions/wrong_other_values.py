# wrong
# fails: values
# says: is not the list of results
import headway as hw

rounds = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.2
y = w
copies = []
for i in range(rounds):
    y = y @ w
    copies.append(y.to("cpu"))
hw.waitall()
