import headway as hw

before = 3
after = 6
size = 400

a = hw.randn(size, size) * size ** -0.5


def issue():
    middle = a
    for _ in range(before):
        middle = middle @ a
    end = middle
    for _ in range(after):
        end = end @ a
    return middle, end


middle, end = issue()  # warm-up
hw.waitall()
middle, end = issue()
hw.waitall()
hw.measure()

with hw.timed("wait_to_read"):
    middle, end = issue()
    middle.wait_to_read()
hw.waitall()

with hw.timed("waitall"):
    middle, end = issue()
    hw.waitall()
