# wrong
# fails: work
# says: 0 copies for 8
import headway as hw

rounds = 8
size = 24

w = hw.randn(size, size, device="gpu") * 0.1
y = w
copies = []
for i in range(rounds):
    y = y @ w
    copies.append(y)
hw.waitall()
