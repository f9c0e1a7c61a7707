import headway as hw

rows = 4096
pieces = 64

# make data
parts = [hw.randn(rows // pieces, 256) for _ in range(pieces)]
weights = hw.randn(256, 256) * (1 / 16)
hw.waitall()
hw.measure()

# issue
results = []
for part in parts:
    results.append(part @ weights)

# wait
hw.waitall()
