"""Ops on a GPU and on the CPU, copies in both directions and waits for one device."""
import headway as hw

a = hw.randn(100, 100)
b = hw.randn(100, 100, device="cpu")
hw.waitall()
hw.measure()

for _ in range(3):
    a = a @ a * 0.01
    b = b @ b * 0.01
c = a.cpu() + b
d = b.to("gpu") + a
hw.waitall("gpu")
e = d.sum()
print(c.sum().item())
hw.waitall()
