import headway as hw

x = hw.ones(1, 2)
y = hw.ones(1, 2)
z = x * y + 2
print(z)
