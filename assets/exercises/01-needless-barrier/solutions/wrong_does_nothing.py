# wrong
# fails: values
# says: sets no value called total
rounds = 8
size = 32
print("rounds:", rounds)
